"""Checks of an agent's settings: values of `--all`, ways to its servers and its model."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.agent.declarations import Agent, Use
from toolaccord.client.connection import find_token_error
from toolaccord.client.credentials import ClientCredentials
from toolaccord.contract.agents import Batch
from toolaccord.contract.settings import Setting
from toolaccord.declarations.settings import SettingsError


def list_urls(agent: Agent[Any, Any, Any]) -> dict[str, str]:
    """Return the kind of address for each setting with the URL of a server or a model's API."""
    urls = [use.url for use in agent.uses if use.url]
    return dict.fromkeys([*urls, agent.model.url] if agent.model else urls, "http")


def check_tokens(agent: Agent[Any, Any, Any], values: Mapping[str, Any]) -> None:
    """Raise SettingsError if a token, of a server or of the model's API, fits into no header."""
    names = {*(use.token for use in agent.uses), agent.model.token if agent.model else None}
    for setting in agent.settings:
        token = values[setting.name] if setting.name in names else ""
        if fault := find_token_error(token):
            raise SettingsError(f"{setting.env} {fault}; set it to the token alone: {setting.description}")


def check_credentials(agent: Agent[Any, Any, Any], values: Mapping[str, Any]) -> None:
    """Raise SettingsError for credentials that are incomplete, beside a token, or unsafe."""
    env = {setting.name: setting.env for setting in agent.settings}
    for use in agent.uses:
        try:
            credentials = read_credentials(use, values)
        except ValueError as error:
            assert use.credentials is not None
            names = ", ".join(env[name] for name in use.credentials.used_settings)
            raise SettingsError(f"{names}: {error}.") from error
        if credentials and use.token and values[use.token]:
            raise SettingsError(f"{env[use.token]} and credentials for {use.name} are set; set one of them.")


def read_credentials(use: Use, values: Mapping[str, Any]) -> ClientCredentials | None:
    """Return the credentials for a server; None without any.

    Raises ValueError if some are missing, and for an issuer to which no secret may be sent.
    """
    issuer, client_id, secret = (
        (values[name] for name in use.credentials.used_settings) if use.credentials else [""] * 3
    )
    if not (issuer or client_id or secret):
        return None
    if not (issuer and client_id and secret):
        raise ValueError("these settings are set together, or none of them")
    return ClientCredentials(issuer=issuer, client_id=client_id, client_secret=secret)


def check_servers(agent: Agent[Any, Any, Any], values: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Check that each server without a URL can be started, by its command or with *environ*.

    Raises SettingsError.
    """
    settings = {setting.name: setting for setting in agent.settings}
    if problems := [problem for use in agent.uses for problem in _find_problems(use, settings, values, environ)]:
        raise SettingsError("\n".join(["These settings are missing or wrong:", *problems]))


def check_all(agent: Agent[Any, Any, Any], values: Mapping[str, Any]) -> None:
    """Raise SettingsError if the *values* of settings have none for `--all`."""
    for setting in agent.settings:
        if agent.batch and setting.name == agent.batch.all and not list_values(agent.batch, (), values):
            raise SettingsError(f"--all needs a value in {setting.env}: {setting.description}")


def list_values(batch: Batch, requests: tuple[str, ...], values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the values of the batch's argument: *requests*, or for `--all` those of a setting."""
    if requests or batch.all is None:
        return tuple(map(_make_text, requests))
    listed = (_make_text(value.strip()) for value in str(values[batch.all]).split(","))
    return tuple(dict.fromkeys(value for value in listed if value))


def _make_text(argument: str) -> str:
    """Return *argument*; bytes that are no UTF-8 become escapes, as no JSON could hold them."""
    return argument.encode("utf-8", "backslashreplace").decode()


def _find_problems(
    use: Use, settings: Mapping[str, Setting], values: Mapping[str, Any], environ: Mapping[str, str]
) -> Iterator[str]:
    """Yield sentences about an unreadable command, and variables that a server lacks."""
    url, command = (values[name] if name else "" for name in (use.url, use.command))
    if url:
        return
    if command:
        try:
            program = "".join(shlex.split(command)[:1])
            error = None if program else "it names no program"
        except ValueError as unreadable:
            error = str(unreadable).lower()
        if error:
            assert use.command is not None
            setting = settings[use.command]
            yield f"  {setting.env} is no command of a shell ({error}): {setting.description}"
        return
    otherwise = f"; or set {settings[use.url].env}" if use.url else ""
    for name in use.required:
        if not environ.get(name):
            yield f"  {name} is required and not set: the agent starts the server {use.name}, which needs it{otherwise}"
