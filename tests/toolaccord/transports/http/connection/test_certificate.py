"""The certificate of a server, before its start and while it runs."""

import logging
import ssl
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from tests.services.certificate import DAY, Authority, Issued
from toolaccord.config.access_rules import TlsFiles
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.connection.certificate import Certificate

_END = "-----END CERTIFICATE-----"


class TodayClock(ManualClock):
    """A clock that begins now, since OpenSSL and certificates know the real day."""

    def __init__(self) -> None:
        super().__init__(SystemClock().now())


def read(issued: Issued, clock: ManualClock | None = None) -> Certificate:
    return Certificate(TlsFiles(issued.certificate, issued.key), clock or TodayClock())


def copy(issued: Issued, onto: Issued) -> None:
    """Put a certificate and its key into the files of another one."""
    for source, target in ((issued.certificate, onto.certificate), (issued.key, onto.key)):
        move(source, target)


def move(source: Path, target: Path) -> None:
    new = target.with_suffix(".new")
    new.write_bytes(source.read_bytes())
    new.rename(target)


def no_file(authority: Authority) -> Issued:
    return Issued(authority.file.parent / "gone.pem", authority.issue("a").key)


def folder_as_key(authority: Authority) -> Issued:
    return Issued(authority.issue("a").certificate, authority.file.parent)


def foreign_key(authority: Authority) -> Issued:
    return Issued(authority.issue("a").certificate, authority.issue("b").key)


def no_certificate(authority: Authority) -> Issued:
    issued = authority.issue("a")
    return Issued(issued.key, issued.key)


def unknown_version(authority: Authority) -> Issued:
    """Damage the version of a certificate."""
    issued = authority.issue("a")
    content = bytearray(ssl.PEM_cert_to_DER_cert(issued.certificate.read_text().partition(_END)[0] + _END))
    content[content.index(b"\xa0\x03\x02\x01\x02") + 4] = 7
    issued.certificate.write_text(ssl.DER_cert_to_PEM_cert(bytes(content)))
    return issued


def no_key(authority: Authority) -> Issued:
    issued = authority.issue("a")
    return Issued(issued.certificate, issued.certificate)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (no_file, "MCP_TLS_CERTIFICATE: {folder}/gone.pem cannot be read: No such file or directory"),
        (folder_as_key, "MCP_TLS_KEY: {folder} cannot be read: Is a directory"),
        (foreign_key, "MCP_TLS_KEY: {folder}/b-key.pem does not fit the first certificate of {folder}/a.pem"),
        (no_certificate, "MCP_TLS_CERTIFICATE: {folder}/a-key.pem holds no certificate in PEM"),
        (unknown_version, "MCP_TLS_CERTIFICATE: {folder}/a.pem holds no certificate in PEM"),
        (no_key, "MCP_TLS_KEY: {folder}/a.pem holds no key in PEM"),
        (
            lambda authority: authority.issue("a", password=b"hunter2"),
            "MCP_TLS_KEY: {folder}/a-key.pem is encrypted; store the key without a password",
        ),
        (
            lambda authority: authority.issue("a", life=(-2 * DAY, -DAY)),
            "MCP_TLS_CERTIFICATE: {folder}/a.pem expired at {time}; renew it",
        ),
        (
            lambda authority: authority.issue("a", life=(DAY, 2 * DAY)),
            "MCP_TLS_CERTIFICATE: {folder}/a.pem is valid from {time} on; look at the clock",
        ),
    ],
)
def test_files_that_cannot_be_used_are_one_sentence_at_the_start(
    make: Callable[[Authority], Issued], sentence: str, tmp_path: Path
) -> None:
    issued = make(Authority(tmp_path))
    with pytest.raises(ValueError, match="MCP_TLS") as raised:
        read(issued)
    before, _, after = sentence.format(folder=tmp_path, time="|").partition("|")
    assert str(raised.value).startswith(before)
    assert str(raised.value).endswith(after)


async def test_new_files_are_in_use_a_second_after_they_appeared(tmp_path: Path) -> None:
    authority, clock = Authority(tmp_path), TodayClock()
    issued = authority.issue("server")
    certificate = read(issued, clock)
    before, end = certificate.context, certificate.expires_at
    with certificate.watched(), capture_logs() as records:
        clock.advance(1)
        assert certificate.context is before
        copy(authority.issue("new", life=(-DAY, 100 * DAY)), issued)
        clock.advance(1)
        assert certificate.context is not before
        assert certificate.expires_at > end
    assert [each.getMessage().partition(":")[0] for each in records if each.levelno == logging.INFO] == [
        f"{issued.certificate} was read again"
    ]


@pytest.mark.parametrize("damage", ["a foreign key", "an expired certificate", "no file"])
async def test_files_that_do_not_fit_leave_the_certificate_as_it_was(damage: str, tmp_path: Path) -> None:
    authority, clock = Authority(tmp_path), TodayClock()
    issued = authority.issue("server", life=(-DAY, 100 * DAY))
    certificate = read(issued, clock)
    before = certificate.context
    with certificate.watched(), capture_logs() as records:
        if damage == "a foreign key":
            move(authority.issue("other").key, issued.key)
        elif damage == "no file":
            issued.certificate.unlink()
        else:
            copy(authority.issue("old", life=(-2 * DAY, -DAY)), issued)
        for _ in range(5):
            clock.advance(1)
        assert certificate.context is before
        assert len(records) == 1
        assert records[0].getMessage().startswith("the certificate stays as it was: MCP_TLS_")
        copy(authority.issue("good", life=(-DAY, 100 * DAY)), issued)
        clock.advance(1)
        assert certificate.context is not before


async def test_a_key_that_follows_its_certificate_within_a_second_is_no_fault(tmp_path: Path) -> None:
    authority, clock = Authority(tmp_path), TodayClock()
    issued, new = authority.issue("server", life=(-DAY, 90 * DAY)), authority.issue("new", life=(-DAY, 90 * DAY))
    certificate = read(issued, clock)
    before = certificate.context
    with certificate.watched(), capture_logs(logging.WARNING) as records:
        move(new.certificate, issued.certificate)
        clock.advance(1)
        move(new.key, issued.key)
        clock.advance(1)
    assert certificate.context is not before
    assert not records


@pytest.mark.parametrize(
    "life, quiet, warned",
    [((-DAY, 100 * DAY), 69 * DAY, 72 * DAY), ((timedelta(0), DAY), timedelta(hours=15), timedelta(hours=17))],
    ids=["30 days before the end", "after two thirds of a short life"],
)
async def test_a_certificate_that_expires_soon_is_logged_once_a_day(
    life: tuple[timedelta, timedelta], quiet: timedelta, warned: timedelta, tmp_path: Path
) -> None:
    clock = TodayClock()
    issued = Authority(tmp_path).issue("server", life=life)
    certificate = read(issued, clock)
    with certificate.watched(), capture_logs(logging.WARNING) as records:
        clock.block(quiet.total_seconds())
        clock.advance(1)
        assert not records
        clock.block((warned - quiet).total_seconds())
        for _ in range(3):
            clock.advance(1)
        assert [each.levelname for each in records] == ["WARNING"]
        assert records[0].getMessage().startswith("the certificate expires at ")
        assert records[0].getMessage().endswith(f"; replace {issued.certificate}")
        clock.block(DAY.total_seconds())
        clock.advance(1)
        assert len(records) == 2


async def test_a_certificate_that_has_expired_is_an_error_in_the_log(tmp_path: Path) -> None:
    clock = TodayClock()
    certificate = read(Authority(tmp_path).issue("server"), clock)
    with certificate.watched(), capture_logs() as records:
        clock.block(2 * DAY.total_seconds())
        clock.advance(1)
    assert [each.levelname for each in records][-1] == "ERROR"
    assert records[-1].getMessage().startswith("the certificate expired at ")


async def test_the_end_of_the_certificate_in_use_is_a_metric(tmp_path: Path) -> None:
    authority, clock, registry = Authority(tmp_path), TodayClock(), CollectorRegistry()
    issued = authority.issue("server")
    certificate = read(issued, clock)
    certificate.observe(registry)
    copy(authority.issue("new", life=(-DAY, 100 * DAY)), issued)
    with certificate.watched():
        clock.advance(1)
    (line,) = [each for each in generate_latest(registry).decode().splitlines() if not each.startswith("#")]
    name, value = line.split()
    assert name == "mcp_tls_certificate_expiry_timestamp_seconds"
    assert float(value) == certificate.expires_at.timestamp()
