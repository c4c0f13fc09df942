"""An authority and its certificates, made for one test."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)
_SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=False,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True)
class Issued:
    """A certificate with its key, in files."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """Return the context of a server that has the key."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


class Authority:
    """An authority that clients may trust."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self.file = folder / f"{name}.pem"
        """The certificate of the authority."""
        made = _build(self._name, self._name, self._key, (-DAY, DAY))
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(_SIGNS, critical=True)
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def issue(
        self, name: str, *hosts: str, life: tuple[timedelta, timedelta] = (-DAY, DAY), password: bytes = b""
    ) -> Issued:
        """Write the certificate of *hosts*, or of 127.0.0.1, and its key; *life* is relative to now."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([*map(_host, hosts or ("127.0.0.1",))])
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = _build(_name(name), self._name, key, life).add_extension(names, critical=False)
        made = made.add_extension(issuer, critical=False)  # which Python demands from 3.13 on
        public, private = self._folder / f"{name}.pem", self._folder / f"{name}-key.pem"
        public.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        encryption = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        private.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
        )
        private.chmod(0o600)
        return Issued(public, private)


def write_certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """Return the file of an authority, and the context of a server at 127.0.0.1 that it signed."""
    authority = Authority(folder)
    return authority.file, authority.issue("server").context()


def _build(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, life: tuple[timedelta, timedelta]
) -> x509.CertificateBuilder:
    builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    now = datetime.now(UTC)
    return builder.not_valid_before(now + life[0]).not_valid_after(now + life[1])


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
