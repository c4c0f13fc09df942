"""Images built with buildah on a base of Debian, without a container engine."""

from __future__ import annotations

import os
import ssl
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.pace import log_progress
from tests.contracts.reading import ROOT

CACHE = ROOT / ".cache/image"
BASE = "localhost/toolaccord-base"
PACKAGES = ("ca-certificates", "python3", "python3-venv")
"""Debian's packages in the base."""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


class ImageError(Exception):
    """The image is not as promised, or cannot be built here; the text says why."""


def make_base() -> None:
    """Make the image with Debian's Python, unless an earlier run made it."""
    if BASE in run_buildah("images", "--noheading", "--format", "{{.Name}}").split():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    archive = CACHE / "base.tar"
    log_progress(f"making the base with {', '.join(PACKAGES)}; about half a minute, once")
    link = 'ln -s ../../bin/python3 "$1/usr/local/bin/python"'
    run(
        [
            "mmdebstrap",
            "--quiet",
            "--variant=minbase",
            f"--include={','.join(PACKAGES)}",
            f"--customize-hook={link}",
            "bookworm",
            str(archive),
        ]
    )
    name = run_buildah("from", "scratch")
    run_buildah("add", "--quiet", name, str(archive), "/")
    run_buildah("commit", "--quiet", "--rm", name, BASE)
    archive.unlink()


def build(image: str, server: str) -> None:
    """Build the Dockerfile's *image* of *server*."""
    about = ("--build-arg", f"BASE={BASE}", "--build-arg", f"SERVER={server}", "--tag", image)
    settings = [f"--volume={path}:{inside}:ro" for inside, path in write_settings().items()]
    run_buildah("build", "--quiet", "--isolation", "chroot", "--format", "docker", *about, *settings, str(ROOT))
    run_buildah("rmi", "--prune")  # what had the tag before


def write_settings() -> Mapping[str, Path]:
    """Write this machine's settings of pip and uv; return the files by their mount points.

    They and the certificates are mounted while the build runs, and are no part of the image.
    """
    index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL")
    pip, uv = CACHE / "pip.conf", CACHE / "uv.toml"
    pip.write_text(f"[global]\ncert = {CERTIFICATES}\n" + (f"index-url = {index}\n" if index else ""), encoding="utf-8")
    table = f'[[index]]\nurl = "{index}"\ndefault = true\n' if index else ""
    uv.write_text(f"system-certs = true\n{table}", encoding="utf-8")
    found = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile or CERTIFICATES
    return {"/etc/pip.conf": pip, "/etc/uv/uv.toml": uv, CERTIFICATES: Path(found)}


@contextmanager
def container_of(image: str) -> Iterator[str]:
    """Provide a container of *image*."""
    name = run_buildah("from", image)
    try:
        yield name
    finally:
        run_buildah("umount", name)
        run_buildah("rm", name)


def measure_mb(folder: Path) -> float:
    """Return the size of the files below *folder*, in MB of a million bytes."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()) / 1e6


def locate() -> list[str]:
    """Return the command buildah with the place of its images.

    The driver vfs needs no overlay file system.
    """
    return ["buildah", "--root", str(CACHE / "images"), "--runroot", str(CACHE / "run"), "--storage-driver", "vfs"]


def run_buildah(*arguments: str) -> str:
    """Run buildah; return its output. Raises ImageError."""
    return run([*locate(), *arguments])


def run(command: Sequence[str]) -> str:
    """Run a program; return its output without blanks at its ends.

    Raises ImageError with all that it wrote.
    """
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode != 0:
        raise ImageError(f"{' '.join(command)} ends with status {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout.strip()
