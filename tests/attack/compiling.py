"""Attacks by contracts: hostile texts, names, numbers, references, files and folders."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.processes import Completed, run
from tests.attack.hostile_contracts import SAMPLES, hostile_contracts, plain_contract
from tests.attack.lab import Lab
from tests.attack.records import Attack, Tally

_LIMIT = ["timeout", "20", "prlimit", "--as=4294967296", "--cpu=20", "--"]
_MAX_EXCESS_S = 2.0
"""Processor time above that of a plain contract."""
_RESULTS = {0, 2, 3}
"""Exit codes: written, a command that cannot run, and contracts that do not compile."""


def _attack_texts(lab: Lab, tally: Tally) -> None:
    home = lab.new_folder()
    marker = home / "marker"
    cases = _sample(lab, hostile_contracts(marker))
    limit_s = _generate(lab, home, "plain", plain_contract()).cost.processor_s + _MAX_EXCESS_S
    with ThreadPoolExecutor(2) as threads:
        runs = threads.map(lambda place: _generate(lab, home, f"p{place}", cases[place][1]), range(len(cases)))
        for (name, _), done in zip(cases, runs, strict=True):
            tally.peaks_mib.append(done.cost.memory_mib)
            tally.check(_is_orderly(done) and done.cost.processor_s <= limit_s, f"{name}: {_describe(done)}")
    packages = sorted(path.name for path in home.glob("p*/") if (path / "demo/counter/server.py").exists())
    imports = "import importlib, sys\nfor each in sys.argv[1:]: importlib.import_module(f'{each}.demo.counter.server')"
    loaded = subprocess.run([lab.python, "-c", imports, *packages], cwd=home, capture_output=True, check=False)
    tally.check(loaded.returncode == 0, f"a generated server cannot be loaded: {loaded.stderr[-300:]!r}")
    tally.check(not marker.exists(), "a contract's code ran")


def _sample(lab: Lab, cases: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    return cases[:: max(1, len(cases) // lab.count(len(cases)))]


def _contracts(home: Path, text: str) -> Path:
    """Write a folder of contracts with one server; return it."""
    folder = home / "contracts"
    (folder / "demo").mkdir(parents=True)
    (folder / "dialects.json").write_bytes((SAMPLES / "dialects.json").read_bytes())
    (folder / "demo/counter.json").write_text(text, encoding="utf-8")
    return folder


def _generate(lab: Lab, home: Path, package: str, text: str) -> Completed:
    """Compile a contract with the content *text* into a package of *home*."""
    folder = _contracts(home / f"of_{package}", text)
    return _run(lab, "--contracts", folder, "--out", home / package, "--package", package)


def _run(lab: Lab, *arguments: object) -> Completed:
    """Run `generate` within limits of memory and time."""
    return run(
        lab.checkout, [*_LIMIT, lab.python, "-m", "toolaccord_codegen", "generate", *map(str, arguments)], os.environ
    )


def _describe(done: Completed) -> str:
    """Return the end of the output."""
    return f"status {done.status}, {done.cost.processor_s:.1f} s: {done.output[-200:]}"


def _is_orderly(done: Completed) -> bool:
    return done.status in _RESULTS and "Traceback" not in done.output


# --- files and folders ---------------------------------------------------------------------------------------------


def _attack_files(lab: Lab, tally: Tally) -> None:
    for name, make in _FILES.items():
        folder = _contracts(lab.new_folder(), plain_contract())
        make(folder / "demo/other.json")
        done = _run(lab, "--contracts", folder, "--out", folder.parent / "generated", "--package", "generated")
        tally.peaks_mib.append(done.cost.memory_mib)
        tally.check(_is_orderly(done) and done.status != 0, f"{name}: {_describe(done)}")
    for name, place in _OUTPUTS.items():
        folder = _contracts(lab.new_folder(), plain_contract())
        victim = folder.parent / "victim"
        victim.mkdir()
        (victim / "server.py").write_text("precious", encoding="utf-8")
        out = place(folder, victim)
        before = _read(folder, victim)
        done = _run(lab, "--contracts", folder, "--out", out, "--package", "generated")
        is_kept = _is_orderly(done) and _read(folder, victim) == before
        tally.check(is_kept, f"{name}: {_describe(done)}; {sorted(_read(folder, victim).keys() ^ before.keys())[:3]}")
    _attack_at_once(lab, tally)


def _attack_at_once(lab: Lab, tally: Tally) -> None:
    """Run four compilers on one empty folder."""
    for _ in range(lab.count(3)):
        folder = _contracts(lab.new_folder(), plain_contract())
        out = folder.parent / "generated"
        arguments = ("--contracts", folder, "--out", out, "--package", "generated")
        with ThreadPoolExecutor(4) as threads:
            runs = list(threads.map(partial(_run, lab), *([argument] * 4 for argument in arguments)))
        for done in runs:
            tally.check(done.status == 0 and _is_orderly(done), f"four at once: {_describe(done)}")
        written = _read(out)
        again = _run(lab, *arguments)
        tally.check(again.status == 0 and _read(out) == written, f"after four at once: {_describe(again)}")


def _read(*folders: Path) -> dict[Path, bytes]:
    """Return the content of every file below *folders*."""
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def _make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


def _make_loop(path: Path) -> None:
    path.symlink_to(path.name)


_FILES: Mapping[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "loop of links": _make_loop,
    "link to nothing": lambda path: path.symlink_to("nowhere"),
    "folder with a file's name": Path.mkdir,
    "1 GiB": _make_large,
}
"""Ways to make a contract file that is none."""


def _link_output(folder: Path, victim: Path) -> Path:
    out = folder.parent / "generated"
    out.symlink_to(victim)
    return out


def _link_server(folder: Path, victim: Path) -> Path:
    out = folder.parent / "generated"
    out.mkdir()
    (out / "demo").symlink_to(victim)
    return out


def _link_file(folder: Path, victim: Path) -> Path:
    out = folder.parent / "generated"
    (out / "demo/counter").mkdir(parents=True)
    (out / "demo/counter/server.py").symlink_to(victim / "server.py")
    return out


def _link_manifest(folder: Path, victim: Path) -> Path:
    out = folder.parent / "generated"
    out.mkdir()
    (out / "manifest.json").symlink_to(victim / "server.py")
    return out


_OUTPUTS: Mapping[str, Callable[[Path, Path], Path]] = {
    "output is the contracts": lambda folder, _: folder,
    "output inside the contracts": lambda folder, _: folder / "generated",
    "output is a server's contracts": lambda folder, _: folder / "demo",
    "output is a link": _link_output,
    "a folder of the output is a link": _link_server,
    "a file of the output is a link": _link_file,
    "the manifest is a link": _link_manifest,
}
"""Ways to place the output; no file of the contracts or of a foreign folder may change."""

ATTACKS = (
    Attack(
        "hostile contracts",
        "The compiler writes valid packages that run nothing, or reports findings without a traceback, with at most 2 s of"
        " processor time above a plain contract.",
        _attack_texts,
        max_peak_mib=256,
    ),
    Attack(
        "files and folders of contracts",
        "FIFOs, devices, loops and files of 1 GiB are rejected; nothing is written into contracts or through links; four"
        " compilers at once all end right.",
        _attack_files,
        max_peak_mib=128,
    ),
)
