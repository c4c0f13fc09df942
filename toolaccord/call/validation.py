"""Checks of a call's arguments against the contract; each raises InvalidCall."""

from __future__ import annotations

from pydantic import BaseModel

from toolaccord.call import error_mapping
from toolaccord.call.context import IncomingCall
from toolaccord.call.error_mapping import InvalidCall
from toolaccord.call.idempotency_key import key_violations
from toolaccord.call.rejection import invalid_arguments
from toolaccord.contract.dialects import Dialect
from toolaccord.json_values import JsonObject
from toolaccord.schema import validator
from toolaccord.schema.violations import Violation, with_pointers


def validate_arguments(call: IncomingCall, dialect: Dialect) -> IncomingCall:
    """Return *call* with valid arguments and idempotency key, in the caller's version.

    Null for an optional argument is dropped, because some hosts send it for an absent one. Raises InvalidCall.
    """
    operation, path = call.bound.operation, call.upgrade_path
    arguments, reported = call.parameters.check_arguments(call.arguments)
    of_key = key_violations(operation.idempotency, call.meta) if operation.idempotency else []
    if not reported and not of_key:
        return call if arguments is call.arguments else call._replace(arguments=arguments)
    # The contract binds errors to pointers of the newest version; the caller knows those of its own.
    violations = reported if path is None else with_pointers(reported, path.newer_pointer)
    raise InvalidCall(invalid_arguments(operation.errors, dialect, [*violations, *of_key], [*reported, *of_key]))


def load_request(call: IncomingCall, arguments: JsonObject, dialect: Dialect) -> BaseModel:
    """Return valid *arguments*, defaults filled in, as the tool's request model.

    Raises InvalidCall for values that the schema admits and the model cannot hold, such as a leap second.
    """
    request: BaseModel | list[Violation] = validator.load_record(call.bound.operation.request, arguments)
    if isinstance(request, list):
        reported = with_pointers(request, call.rename_pointer)
        raise InvalidCall(invalid_arguments(call.bound.operation.errors, dialect, request, reported))
    return request


def check_conditions(call: IncomingCall, arguments: JsonObject, dialect: Dialect) -> None:
    """Check the contract's conditions between valid *arguments* of the newest version.

    Raises InvalidCall.
    """
    operation = call.bound.operation
    if not operation.conditions:
        return
    from toolaccord.call.conditions import broken_conditions  # noqa: PLC0415 - few operations have conditions

    if broken := broken_conditions(operation.conditions, arguments, call.rename_pointer):
        raise InvalidCall(error_mapping.conditions_broken(operation, dialect, broken))
