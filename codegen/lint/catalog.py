"""All lint rules by id."""

from __future__ import annotations

from codegen.lint.rule import Rule

RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "NUMBER_UNBOUNDED",
            "a number in the arguments has no minimum or no maximum",
            "a model may send any number, and the handler has to check it",
        ),
        Rule(
            "STRING_UNBOUNDED",
            "a text in the arguments has no maximum length",
            "one call can put a huge text into a query, a log or a database",
        ),
        Rule(
            "ARRAY_UNBOUNDED",
            "an array has no maximum number of items",
            "a call can request endless work, and a result can fill a model's whole context",
        ),
        Rule(
            "ARRAY_WITHOUT_ITEMS",
            "an array does not define its items",
            "a model has to guess what to send or what it received, and some hosts reject the tool",
        ),
        Rule(
            "PAGE_WITHOUT_MINIMUM",
            "a paging argument has no minimum",
            "a negative page reaches the database, which fails or returns everything",
            is_fixable=True,
        ),
        Rule(
            "RESULT_WITHOUT_REQUIRED",
            "an object in the result does not list its required members",
            "callers have to expect that any member is missing; an empty list says so on purpose",
        ),
        Rule(
            "ARGUMENT_OBJECT_OPEN",
            "an object in the arguments does not say if unknown members are allowed",
            "a misspelt member is accepted and ignored",
            is_fixable=True,
        ),
        Rule(
            "ARGUMENT_UNEXPLAINED",
            "an argument has no description",
            "a model has only the name to work with",
        ),
        Rule(
            "TIME_WITHOUT_FORMAT",
            "a text named like a time has no format",
            "any text is accepted as a time, and callers do not know how to read it",
            is_fixable=True,
        ),
        Rule(
            "UNIT_MISSING",
            "a rate, an amount or a duration has no unit",
            "0.5 may be half a percent or fifty; the name may end in the unit, or the description or x-unit may name it",
        ),
        Rule(
            "NAME_HAS_TWO_MEANINGS",
            "one name has different meanings in the tools of a system",
            "a model passes the value of one tool to another one that expects something else",
        ),
        Rule(
            "CODE_UNBOUND",
            "a code for wrong arguments is bound to no argument and no condition",
            "only the handler can return it, so it repeats by hand what a schema could check",
        ),
        Rule(
            "CODE_UNCONSTRAINED",
            "a code is for an argument that accepts any value of its type",
            "the code is returned only for a value of another type",
        ),
        Rule(
            "CODE_GUARDS_NOTHING",
            "a code is bound to something that cannot happen",
            "callers prepare for an error that never comes",
        ),
        Rule(
            "CODE_SHADOWED",
            "earlier codes match everything that a code is bound to",
            "the first matching code is returned, so this one never is",
        ),
        Rule(
            "CACHE_WITHOUT_BYPASS",
            "a tool has a cache that callers cannot bypass",
            "a caller that needs a newer answer can only wait",
            is_fixable=True,
        ),
        Rule(
            "BYPASS_WITHOUT_CACHE",
            "an argument bypasses a cache that the tool does not have",
            "callers set it, and it has no effect",
        ),
        Rule(
            "CACHED_THOUGH_FRESH",
            "a tool promises fresh answers and has a cache",
            "callers act on outdated answers",
        ),
        Rule(
            "WRITE_WITHOUT_IDEMPOTENCY",
            "a tool writes and accepts no idempotency key",
            "a call repeated after a broken connection writes twice",
        ),
        Rule(
            "TYPE_LIST_IN_ARGUMENTS",
            "an argument lists several types",
            "Gemini rejects the whole tool; anyOf means the same",
        ),
        Rule(
            "NULL_FOR_ABSENT",
            "an optional argument may also be null",
            "models send null, hosts show two ways to omit a value, and handlers must handle both",
        ),
        Rule(
            "DATES_TOO_CLOSE",
            "a version is deprecated or ends less than 30 days after the step before",
            "callers have too little time to move",
        ),
        Rule(
            "SUNSET_PASSED",
            "a version is listed whose sunset has passed",
            "it is no longer answered and only makes the contract longer",
        ),
        Rule(
            "LIST_TOO_LARGE",
            "tools/list is larger than the server's budget",
            "hosts put the whole list into every conversation",
        ),
    )
}
