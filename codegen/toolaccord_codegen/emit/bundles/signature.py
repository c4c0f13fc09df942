"""Signatures of bundles as MCPB has them: PKCS#7 at the end of the file."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which
from tempfile import NamedTemporaryFile

from toolaccord_codegen.diagnostics import CommandError

HEADER, FOOTER = b"MCPB_SIG_V1", b"MCPB_SIG_END"
_END_RECORD = b"PK\x05\x06"
"""Start of the record at the end of a ZIP file.

Its last two bytes are the length of the comment after it.
"""
_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
_SIGN = ("cms", "-sign", "-binary", "-outform", "DER", "-md", "sha256", "-nosmimecap")


def sign_bundle(bundle: bytes, key: Path, certificates: Path) -> bytes:
    """Return a bundle with its signature, which strict readers of ZIP files take for a comment.

    The file of *certificates* begins with that of the *key*, both PEM; those of its issuers follow. Raises CommandError
    without openssl, for a key that is not RSA, and for files that do not fit together.
    """
    public_key = _run_openssl(b"", "x509", "-in", str(certificates), "-noout", "-text").decode(errors="replace")
    if "Public Key Algorithm: rsaEncryption" not in public_key:
        raise CommandError(f"{certificates} has no RSA key first, and hosts verify no other signatures of bundles")
    sign: tuple[str, ...] = (*_SIGN, "-signer", str(certificates), "-inkey", str(key))
    issuers = certificates.read_bytes().split(_CERTIFICATE)[2:]
    with NamedTemporaryFile(prefix="toolaccord-", suffix=".pem") as others:
        others.write(b"".join(_CERTIFICATE + each for each in issuers))
        others.flush()
        sign = (*sign, "-certfile", others.name) if issuers else sign
        length = len(_wrap(_run_openssl(bundle, *sign)))  # that of an RSA signature does not depend on the content
        end = bundle.rindex(_END_RECORD)
        declared = bundle[: end + 20] + length.to_bytes(2, "little") + bundle[end + 22 :]
        return declared + _wrap(_run_openssl(declared, *sign))


def _wrap(signature: bytes) -> bytes:
    """Return a signature between its marks, after its length."""
    return HEADER + len(signature).to_bytes(4, "little") + signature + FOOTER


def _run_openssl(content: bytes, *arguments: str) -> bytes:
    """Return the output of openssl.

    Raises CommandError without the program, and with its sentence if it fails.
    """
    program = which("openssl")
    if program is None:
        raise CommandError("openssl is not installed, which signs bundles")
    done = subprocess.run([program, *arguments], input=content, capture_output=True, check=False)  # noqa: S603 - our own
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise CommandError(f"openssl cannot sign the bundle: {lines[0] if lines else done.returncode}")
    return done.stdout
