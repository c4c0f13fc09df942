"""Prove that contract.schema.json is made of the records, which hold what it admits."""

from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.contracts.reading import ROOT, contract_files, load
from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.policies import CachePolicy, RateLimit
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.settings import Setting
from toolaccord.contract.source_kinds.files import FilesSource
from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.contract.sources import CustomSource, Source
from toolaccord_codegen.emit.language.schema import build_schema
from toolaccord_codegen.loading.documents import OWN_SCHEMA
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.records import extend_record, read_record


def test_the_committed_schema_is_that_of_the_records() -> None:
    assert OWN_SCHEMA.read_text(encoding="utf-8") == format_json(build_schema()), "run: ./run generate"


@pytest.mark.parametrize("file", contract_files(), ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_record_holds_every_key_of_a_contract(file: Path) -> None:
    value = load(file)
    assert set(written(read_record(AgentContract if "agent" in value else ServerContract, value))) >= set(texts(value))


def texts(value: Any) -> list[str]:
    """Return the texts of a JSON value, but those of notes and of the file itself."""
    if isinstance(value, dict):
        return [text for key, part in value.items() if not key.startswith(("$", "x-")) for text in texts(part)]
    return (
        [text for part in value for text in texts(part)]
        if isinstance(value, list)
        else [value] * isinstance(value, str)
    )


def written(value: Any) -> list[str]:
    """Return the texts of a record."""
    if is_dataclass(value):
        return [text for each in fields(value) for text in written(getattr(value, each.name))]
    if isinstance(value, tuple):
        return [text for part in value for text in written(part)]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, str) else [text for part in parts for text in written(part)]


def test_a_whole_number_is_read_as_one_however_it_is_written() -> None:
    assert repr(read_record(RateLimit, {"per": "caller", "calls": 2.0, "window_s": 60})) == repr(
        RateLimit(calls=2, window_s=60)
    )
    assert repr(read_record(CachePolicy, {"ttl_s": 2.0})) == repr(CachePolicy(ttl_s=2.0))


def test_keywords_of_a_setting_are_its_schema() -> None:
    setting = {"env": "NAME", "description": "A name.", "maxLength": 9, "default": "x", "x-note": "ours"}
    schema = {"type": "string", "maxLength": 9}
    assert read_record(Setting, setting, name="name") == Setting(
        name="name", env="NAME", description="A name.", schema=schema, default="x"
    )


def test_a_source_is_read_by_its_kind_and_names_its_settings() -> None:
    files: Source = read_record(
        FilesSource, {"kind": "files", "paths": {"a": {"setting": "b"}}, "max_bytes": 2048}, name="c"
    )
    assert files == FilesSource(name="c", kind="files", paths={"a": "b"}, max_bytes=2048)


def test_a_record_is_extended_by_the_fields_of_a_derived_one() -> None:
    source = read_record(
        HttpSource,
        {"kind": "http", "url": {"setting": "u"}, "max_connections": 1, "connection_timeout_s": 1, "timeout_s": 1},
        name="s",
    )
    assert extend_record(source, HttpSource, retries=3).retries == 3


KINDS = [record for record in get_args(get_args(Source)[0]) if record is not CustomSource]


@pytest.mark.parametrize("record", KINDS, ids=lambda record: record.__name__)
def test_the_library_opens_each_kind_by_the_record_of_the_language(record: type) -> None:
    package = import_module(f"toolaccord.sources.{record.__module__.rpartition('.')[2]}")
    declaration = getattr(package, record.__name__)
    assert (issubclass(declaration, record), callable(declaration.open)) == (True, True)
