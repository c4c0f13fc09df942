"""All rules of the lint, by id."""

from __future__ import annotations

from codegen.lint.rule import Rule

RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "NUMBER_UNBOUNDED",
            "a number in the arguments has no least or no greatest value",
            "a model sends any number it can write, and the handler would have to judge it",
        ),
        Rule(
            "STRING_UNBOUNDED",
            "a text in the arguments may be of any length",
            "one call could carry as much as the transport lets through into a query, a log or a database",
        ),
        Rule(
            "ARRAY_UNBOUNDED",
            "an array may have any number of elements",
            "a call could ask for endless work, and a result could fill a model's whole context",
        ),
        Rule(
            "ARRAY_WITHOUT_ITEMS",
            "an array does not say what its elements are",
            "a model has to guess what to send or what it got, and some hosts refuse the tool",
        ),
        Rule(
            "PAGE_WITHOUT_MINIMUM",
            "an argument that chooses a page has no least value",
            "a negative page reaches the database, which answers it with an error or with everything",
            mends=True,
        ),
        Rule(
            "RESULT_WITHOUT_REQUIRED",
            "an object in the result does not say which of its members are always there",
            "callers would have to expect that any of them is missing; an empty array says that on purpose",
        ),
        Rule(
            "ARGUMENT_OBJECT_OPEN",
            "an object in the arguments does not say whether unknown members are refused",
            "a misspelt member is taken and does nothing",
            mends=True,
        ),
        Rule(
            "ARGUMENT_UNEXPLAINED",
            "an argument has no description",
            "a model has nothing but the name to go by",
        ),
        Rule(
            "TIME_WITHOUT_FORMAT",
            "a text that is a time by its name has no format",
            "anything would do for a time, and callers cannot tell how to read it",
            mends=True,
        ),
        Rule(
            "UNIT_MISSING",
            "a rate, an amount or a duration has no unit",
            "0.5 may be half a percent or fifty of them; the name may end in the unit, the description or x-unit name it",
        ),
        Rule(
            "NAME_HAS_TWO_MEANINGS",
            "one name means different things to the tools of a system",
            "a model takes what one tool has given for what another one wants",
        ),
        Rule(
            "CODE_UNBOUND",
            "a code says that arguments are wrong and is bound to none, nor to a condition",
            "only a handler can answer it, and has to check by hand what a schema could say",
        ),
        Rule(
            "CODE_UNCONSTRAINED",
            "a code guards an argument that takes anything of its type",
            "nothing but another type is ever answered with the code",
        ),
        Rule(
            "CODE_GUARDS_NOTHING",
            "a code is bound to what cannot happen",
            "callers prepare for an answer that never comes",
        ),
        Rule(
            "CODE_SHADOWED",
            "earlier codes answer whatever a code is bound to",
            "of the codes that fit, the first is answered: this one never",
        ),
        Rule(
            "CACHE_WITHOUT_BYPASS",
            "a tool is cached, and callers cannot ask for a fresh answer",
            "who knows that an answer is old can only wait",
            mends=True,
        ),
        Rule(
            "BYPASS_WITHOUT_CACHE",
            "an argument asks for a fresh answer where nothing is kept",
            "callers set it, and it does nothing",
        ),
        Rule(
            "CACHED_THOUGH_FRESH",
            "a tool whose answers must be fresh is cached",
            "somebody acts upon what is no longer so",
        ),
        Rule(
            "WRITE_WITHOUT_IDEMPOTENCY",
            "a tool writes and takes no idempotency key",
            "a call that is sent again, after a broken connection, writes twice",
        ),
        Rule(
            "TYPE_LIST_IN_ARGUMENTS",
            "an argument lists several types",
            "Gemini refuses the whole tool; anyOf says the same",
        ),
        Rule(
            "NULL_FOR_ABSENT",
            "an argument that may be left out may be null, too",
            "models send null, hosts show two ways to say nothing, and handlers must know both",
        ),
        Rule(
            "DATES_TOO_CLOSE",
            "a version is deprecated, or gone, less than 30 days after the step before",
            "callers hear of it too late to move",
        ),
        Rule(
            "SUNSET_PASSED",
            "a version is kept whose sunset has passed",
            "it is refused, and only makes the contract longer",
        ),
        Rule(
            "LIST_TOO_LARGE",
            "what tools/list shows is larger than the server's budget",
            "hosts put all of it into every conversation, before a word is said",
        ),
    )
}
