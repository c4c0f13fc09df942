"""The command `bundle`: an MCP bundle of one server, and its server.json."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from toolaccord.testing import progress
from toolaccord_codegen.cli.generate import compile_project
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.bundle import BundleOptions
from toolaccord_codegen.cli.pyproject import NAME, read_pyproject
from toolaccord_codegen.diagnostics import CommandError, suggest
from toolaccord_codegen.emit.bundles.archive import pack
from toolaccord_codegen.emit.bundles.manifest import (
    ENTRY_POINT,
    ICON,
    Publisher,
    build_manifest,
    format_entry_point,
    format_pyproject,
)
from toolaccord_codegen.emit.bundles.modules import ImportedModules, find_rejection, list_data_files
from toolaccord_codegen.emit.bundles.registry import add_bundle
from toolaccord_codegen.emit.bundles.requirements import Requirements, choose_requirements
from toolaccord_codegen.emit.bundles.signature import sign_bundle
from toolaccord_codegen.emit.output_tree import find_drifts
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import NAMESPACE
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.reporting.colour import TerminalStyle

PNG = b"\x89PNG\r\n\x1a\n"


def run(options: BundleOptions) -> int:
    """Write a bundle, and with a release URL its server.json; print their paths.

    Raises CommandError for an unknown server, for outdated files, and for files that cannot be read.
    """
    contract, server_json = _find_contract(options)
    project = _read_project(options)
    modules = _follow_imports(options, contract)
    requirements = choose_requirements(contract, project.get("dependencies", ()), modules.outside)
    files = _collect_files(options, contract, modules)
    bundle = _sign(options, pack(files | _write_texts(options, contract, project, requirements)))
    name = f"{contract.name}-{contract.version}.mcpb"
    options.to.mkdir(parents=True, exist_ok=True)
    (options.to / name).write_bytes(bundle)
    print(f"wrote   {display_path(options.to / name)} ({len(bundle):,} bytes)")
    if options.release_url is not None:
        registered = options.to / f"{contract.name}.server.json"
        entry = add_bundle(server_json, contract, bundle, f"{options.release_url}/{name}")
        registered.write_text(entry, encoding="utf-8")
        print(f"wrote   {display_path(registered)}")
    for note in _list_notes(options, requirements, _list_data(options, files)):
        print(TerminalStyle.of(sys.stdout).wrap(f"note    {note}", indent=8))
    return 0


def _sign(options: BundleOptions, bundle: bytes) -> bytes:
    """Return a bundle, signed if a key is given.

    Raises CommandError for a key without its certificate.
    """
    if options.sign is None and options.certificate is None:
        return bundle
    if options.sign is None or options.certificate is None:
        raise CommandError("--sign KEY and --certificate FILE belong together; give both")
    return sign_bundle(bundle, options.sign, options.certificate)


def _list_data(options: BundleOptions, files: Mapping[str, bytes]) -> list[str]:
    """Return the packed files of handlers that are neither modules nor migrations."""
    folders = options.generate.folders
    handlers = folders.handlers_folder.absolute().relative_to(folders.import_root).as_posix()
    return [name for name in files if name.startswith(f"{handlers}/") and not name.endswith((".py", ".sql"))]


def _list_notes(options: BundleOptions, requirements: Requirements, data: list[str]) -> Iterator[str]:
    """Yield what a publisher has to know before others can install or find the bundle."""
    if data:
        yield f"everybody who installs the bundle can read {', '.join(data)}"
    if requirements.unnamed:
        names = ", ".join(requirements.unnamed)
        yield f"the handlers import {names}, which no dependency in pyproject.toml names; the bundle may lack it"
    source = json.loads(metadata.distribution("toolaccord").read_text("direct_url.json") or "{}").get("url")
    if source and "toolaccord" not in map(_find_project, options.wheel or ()):
        yield f"toolaccord comes from {source}; if no index has it, put its wheel into the bundle with --wheel FILE"
    if options.release_url is None:
        yield "--release-url URL also writes server.json for the registry, with the address below which you publish"
    elif options.generate.namespace == NAMESPACE:
        yield f"the registry rejects {NAMESPACE}; name your namespace in [tool.toolaccord], and generate again"


def _find_contract(options: BundleOptions) -> tuple[Contract, str]:
    """Return the record of the server and its generated server.json.

    Raises CommandError if there is no such server over stdio, or if its generated files are not current.
    """
    with progress.Line("Comparing") as line:
        compiled = compile_project(options.generate, line.show)
    system, name = options.server
    servers = {f"{each.system}/{each.module}": each for each in compiled.contracts.contracts}
    contract = servers.get(f"{system}/{name}")
    if contract is None:
        raise CommandError(f"there is no server {system}/{name}; {suggest(f'{system}/{name}', servers)}")
    if "stdio" not in contract.transports:
        raise CommandError(f"{contract.name} has no stdio among its transports, which bundles need")
    if any(find_drifts(options.generate.folders.output, compiled.tree)):
        command = options.generate.folders.generate_command(program_name())
        raise CommandError(f"generated files are not current; run: {command}")
    return contract, compiled.tree[f"{system}/{name}/server.json"]


def _follow_imports(options: BundleOptions, contract: Contract) -> ImportedModules:
    """Return the modules that a server imports."""
    folders = options.generate.folders
    modules = ImportedModules(list(dict.fromkeys(folders.handler_roots)))
    modules.follow(f"{folders.package}.{contract.system}.{contract.module}.__main__")
    return modules


def _collect_files(options: BundleOptions, contract: Contract, modules: ImportedModules) -> dict[str, bytes]:
    """Return the files of a bundle that exist, by their paths in it.

    Raises CommandError for a data file that nobody else may read.
    """
    folders = options.generate.folders
    data: dict[str, Path] = {}
    for folder in (folders.output / contract.system / contract.module, folders.handlers_folder / contract.system):
        data |= list_data_files(folder.absolute(), folders.import_root)
    files = {name: path.read_bytes() for name, path in (modules.files | data).items()}
    for name in data:
        if reason := find_rejection(name, files[name]):
            raise CommandError(f"{name} would be published with the bundle: {reason}; move it out of the handlers")
    files |= {f"wheels/{wheel.name}": _read(wheel, b"PK") for wheel in options.wheel or ()}
    return files | ({ICON: _read(options.icon, PNG)} if options.icon else {})


def _write_texts(
    options: BundleOptions, contract: Contract, project: dict[str, Any], requirements: Requirements
) -> dict[str, bytes]:
    """Return the files that only a bundle has."""
    publisher = _describe_publisher(options, project)
    wheels = {_find_project(wheel): f"wheels/{wheel.name}" for wheel in options.wheel or ()}
    manifest = build_manifest(contract, publisher)
    texts = {
        "manifest.json": f"{json.dumps(manifest, indent=2, ensure_ascii=False)}\n",
        "pyproject.toml": format_pyproject(contract, publisher.requires_python, requirements.listed, wheels),
        ENTRY_POINT: format_entry_point(contract, options.generate.folders.package),
    }
    return {name: text.encode() for name, text in texts.items()}


def _find_project(wheel: Path) -> str:
    """Return the name of the project in a wheel's file name."""
    return canonicalize_name(wheel.name.partition("-")[0])


def _read(path: Path, magic: bytes) -> bytes:
    """Return the bytes of a file that begin with some. Raises CommandError for any other file."""
    content = path.read_bytes()
    if not content.startswith(magic):
        raise CommandError(f"{path} is no {'PNG image' if magic == PNG else 'wheel'}")
    return content


def _read_project(options: BundleOptions) -> dict[str, Any]:
    """Return the table [project] of the project that has the servers; empty without one."""
    folders = options.generate.folders
    file = folders.scripts or folders.project.folder / NAME
    return dict(read_pyproject(file).unwrap().get("project", {}))


def _describe_publisher(options: BundleOptions, project: dict[str, Any]) -> Publisher:
    """Return what a project says about itself."""
    authors = [author["name"] for author in project.get("authors", ()) if "name" in author]
    given = project.get("license")
    return Publisher(
        author=authors[0] if authors else options.server[0],
        license=given if isinstance(given, str) else None,
        requires_python=project.get("requires-python", ">=3.11"),
        has_icon=options.icon is not None,
    )
