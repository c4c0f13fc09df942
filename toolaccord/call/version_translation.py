"""Older versions: finds the one that a call names, upgrades arguments, downgrades results."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from toolaccord.call import error_mapping
from toolaccord.call.context import BoundOperation, IncomingCall
from toolaccord.call.error_mapping import InvalidCall
from toolaccord.call.results import BrokenResultError, split_content
from toolaccord.contract.dialects import Dialect
from toolaccord.json_values import JsonObject
from toolaccord.schema.violations import describe
from toolaccord.semantics.versions import find_answering
from toolaccord.versioning import lifecycle

if TYPE_CHECKING:  # see BoundOperation.upgrade_paths
    from toolaccord.versioning.upgrade_path import UpgradePath


class BrokenRequestError(Exception):
    """Upgraded arguments break the newest version's schema.

    The contract's steps or a lookup are wrong.
    """


def find_version(call: IncomingCall, dialect: Dialect, today: Callable[[], date]) -> IncomingCall:
    """Return *call* with upgrade path and deprecation notice of the version that it names.

    A call that names the newest version, none, or one that the newest answers, is returned as it is. Raises InvalidCall
    for a version that is unknown or past its sunset.
    """
    operation, version = call.bound.operation, call.version
    if version is None or version == operation.version:
        return call
    paths, day = call.bound.upgrade_paths, today()
    answering = (
        version
        if isinstance(version, str) and version in paths
        else find_answering(version, [operation.version, *paths])
    )
    if answering is None:
        raise InvalidCall(error_mapping.unknown_version(operation, dialect, lifecycle.live_versions(operation, day)))
    if answering == operation.version:
        return call
    path = paths[answering]
    if lifecycle.is_past_sunset(path.version, day):
        successor = lifecycle.successor_of(operation, path.version, day)
        raise InvalidCall(error_mapping.version_past_sunset(operation, dialect, path.version, successor))
    return call._replace(upgrade_path=path, deprecation=lifecycle.deprecation_of(operation, path.version, day))


async def upgrade_arguments(bound: BoundOperation, path: UpgradePath, arguments: JsonObject, record: Any) -> JsonObject:
    """Return valid *arguments* of an older version in the newest version.

    Lookups take the call *record*.

    Raises BrokenRequestError, and what a lookup raises.
    """
    newest = await path.upgrade(arguments, record)
    if violations := bound.parameters.violations(newest):
        raise BrokenRequestError(f"{bound.operation.name} {path.version.version}: {describe(violations)}")
    return newest


async def downgrade_result(bound: BoundOperation, path: UpgradePath, result: bytes, record: Any) -> bytes:
    """Return a *result* of the newest version in an older one, both as JSON.

    Lookups take the call *record*.

    Raises BrokenResultError if the older version does not admit it, and what a lookup raises.
    """
    encoded, content = split_content(result)
    newest: JsonObject = json.loads(encoded)  # orjson reads no integers beyond 64 bits
    text = path.returns.encode(await path.downgrade(newest, record))
    if not isinstance(text, bytes):
        raise BrokenResultError(f"{bound.operation.name} {path.version.version}: {describe(text)}")
    return text if content is None else b"%b\n%b" % (text, content)
