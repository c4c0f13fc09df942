"""Privileges that a statement needs, as PostgreSQL notes them on its tree."""

from __future__ import annotations

from collections.abc import Mapping

from toolaccord.contract.operations import Privilege
from toolaccord_codegen.queries.trees import Node

_BITS: Mapping[Privilege, int] = {"INSERT": 1, "SELECT": 2, "UPDATE": 4, "DELETE": 8}


def list_permissions(tree: Node) -> dict[int, set[Privilege]]:
    """Return the privileges that a role needs for a statement, by the oids of tables and views.

    What a view reads is left out where its owner needs the privilege.
    """
    needed: dict[int, set[Privilege]] = {}
    for each in tree.walk():
        if each.kind == "RTEPERMISSIONINFO" and not each.number("checkAsUser"):
            privileges = {name for name, bit in _BITS.items() if each.number("requiredPerms") & bit}
            needed.setdefault(each.number("relid"), set()).update(privileges)
    return needed
