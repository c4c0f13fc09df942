"""All rules for changes of contracts, by id."""

from __future__ import annotations

from toolaccord_codegen.breaking.contract_catalog import CONTRACT_RULES
from toolaccord_codegen.breaking.rule import Rule
from toolaccord_codegen.breaking.schema_catalog import SCHEMA_RULES

RULES: dict[str, Rule] = {rule.id: rule for rule in (*SCHEMA_RULES, *CONTRACT_RULES)}
