import pytest

from toolaccord.telemetry.redaction import Redactor


def test_a_short_secret_is_redacted_only_as_a_whole_word() -> None:
    redactor = Redactor(["abc", "$1"])
    assert redactor.redact("abc (abc) abcd dabc 'abc' $1 $12") == "*** (***) abcd dabc '***' *** $12"


@pytest.mark.parametrize("password", ["hunter%2B2 x", "hunter%2B2+x"])
def test_a_password_in_the_query_of_a_url_is_redacted(password: str) -> None:
    redactor = Redactor([f"postgresql:///db?host=%2Ftmp&password={password}&port=5"])
    assert redactor.redact(f"no {password} and no hunter+2 x at /tmp") == "no *** and no *** at /tmp"
