import pytest

from toolaccord.contract.settings import Setting, SettingValue
from toolaccord.declarations.settings import SettingsError, read_settings
from toolaccord.json_values import JsonObject


def setting(
    env: str,
    schema: JsonObject,
    *,
    default: SettingValue = None,
    required: bool = False,
    secret: bool = False,
) -> Setting:
    return Setting(
        name=env.lower(),
        env=env,
        description=f"what {env} is for",
        schema=schema,
        default=default,
        required=required,
        secret=secret,
    )


URL = setting("URL", {"type": "string", "pattern": r"^postgresql://\S+$"}, required=True, secret=True)
AGE = setting("AGE", {"type": "integer", "minimum": 1}, default=7)
RATE = setting("RATE", {"type": "number", "exclusiveMinimum": 0})
OPEN = setting("OPEN", {"type": "boolean"}, default=False)


def test_each_value_has_the_type_of_its_schema() -> None:
    environ = {"URL": "postgresql://host/db", "AGE": "5", "RATE": "0.5", "OPEN": "true", "OTHER": "x"}
    assert read_settings([URL, AGE, RATE, OPEN], environ) == {
        "url": "postgresql://host/db",
        "age": 5,
        "rate": 0.5,
        "open": True,
    }


def test_an_absent_or_empty_variable_gives_the_default() -> None:
    assert read_settings([AGE, RATE, OPEN], {"AGE": ""}) == {"age": 7, "rate": None, "open": False}


def test_one_error_names_every_missing_and_wrong_setting_and_its_purpose() -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings([URL, AGE, RATE, OPEN], {"AGE": "0", "RATE": "fast", "OPEN": "perhaps"})
    message = str(raised.value)
    assert "URL is required and not set: what URL is for" in message
    assert "AGE must be at least 1 (it is '0'): what AGE is for" in message
    assert "RATE must be a number (it is 'fast'): what RATE is for" in message
    assert "OPEN must be true or false (it is 'perhaps'): what OPEN is for" in message


def test_a_wrong_secret_does_not_appear_in_the_error() -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings([URL], {"URL": "hunter2 hunter2"})
    assert r"URL must match the pattern ^postgresql://\S+$" in str(raised.value)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_number_must_be_finite(text: str) -> None:
    with pytest.raises(SettingsError, match="must be a finite number"):
        read_settings([RATE], {"RATE": text})


def test_an_invalid_address_is_named_without_its_value() -> None:
    url = setting("URL", {"type": "string"}, required=True, secret=True)
    with pytest.raises(SettingsError) as raised:
        read_settings(
            [url, AGE], {"URL": "postgresql://joe:hunter2@host:notaport/db", "AGE": "0"}, {"url": "postgresql"}
        )
    assert "URL must have a port from 0 to 65535: what URL is for" in str(raised.value)
    assert "AGE must be at least 1" in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert "notaport" not in str(raised.value)
