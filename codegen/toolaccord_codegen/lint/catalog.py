"""All lint rules by id."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the linter."""

    summary: str
    """The defect in a few words."""
    why: str
    """The harm that it does."""
    is_fixable: bool = False
    """True if `--fix` can fix it in some cases."""


RULES = {
    "NUMBER_UNBOUNDED": Rule(
        "a number in the arguments has no minimum or no maximum",
        "a model may send any number, and the handler has to check it",
    ),
    "STRING_UNBOUNDED": Rule(
        "a text in the arguments has no maximum length",
        "one call can put a huge text into a query, a log or a database",
    ),
    "ARRAY_UNBOUNDED": Rule(
        "an array has no maximum number of items",
        "a call can request endless work, and a result can fill a model's whole context",
    ),
    "ARRAY_WITHOUT_ITEMS": Rule(
        "an array does not define its items",
        "a model has to guess what to send or what it received, and some hosts reject the tool",
    ),
    "PAGE_WITHOUT_MINIMUM": Rule(
        "a paging argument has no minimum",
        "a negative page reaches the database, which fails or returns everything",
        is_fixable=True,
    ),
    "RESULT_WITHOUT_REQUIRED": Rule(
        "an object in the result does not list its required members",
        "callers have to expect that any member is missing; an empty list says so on purpose",
    ),
    "ARGUMENT_OBJECT_OPEN": Rule(
        "an object in the arguments does not say if unknown members are allowed",
        "a misspelt member is accepted and ignored",
        is_fixable=True,
    ),
    "ARGUMENT_UNEXPLAINED": Rule(
        "an argument has no description",
        "a model has only the name to work with",
    ),
    "CONSTRAINT_UNEXPLAINED": Rule(
        "the description of an argument does not say what its default, pattern, bounds, lengths or format demand",
        "some hosts, such as Codex, show models the description without these keywords",
    ),
    "TIME_WITHOUT_FORMAT": Rule(
        "a text named like a time has no format",
        "any text is accepted as a time, and callers do not know how to read it",
        is_fixable=True,
    ),
    "UNIT_MISSING": Rule(
        "a rate, an amount or a duration has no unit",
        "0.5 may be half a percent or fifty; the name may end in the unit, or the description or x-unit may name it",
    ),
    "NAME_HAS_TWO_MEANINGS": Rule(
        "one name has different meanings in the tools of a system",
        "a model passes the value of one tool to another one that expects something else",
    ),
    "CODE_UNBOUND": Rule(
        "a code for wrong arguments is bound to no argument and no condition",
        "only the handler can return it, so it repeats by hand what a schema could check",
    ),
    "CODE_UNCONSTRAINED": Rule(
        "a code is for an argument that accepts any value of its type",
        "the code is returned only for a value of another type",
    ),
    "CODE_GUARDS_NOTHING": Rule(
        "a code is bound to something that cannot happen",
        "callers prepare for an error that never comes",
    ),
    "CODE_SHADOWED": Rule(
        "earlier codes match everything that a code is bound to",
        "the first matching code is returned, so this one never is",
    ),
    "CACHE_WITHOUT_BYPASS": Rule(
        "a tool has a cache that callers cannot bypass",
        "a caller that needs a newer answer can only wait",
        is_fixable=True,
    ),
    "BYPASS_WITHOUT_CACHE": Rule(
        "an argument bypasses a cache that the tool does not have",
        "callers set it, and it has no effect",
    ),
    "MEMORY_TTL_MISSING": Rule(
        "replicas share results that callers can refresh, and keep copies of them for the whole ttl_s",
        "a refreshed answer is hidden from callers of other replicas until their copies expire",
        is_fixable=True,
    ),
    "CONTENT_WITHOUT_TEXT": Rule(
        "a tool returns images, audio or links alone",
        "a model that reads only text learns nothing from the answer",
    ),
    "CACHED_THOUGH_FRESH": Rule(
        "a tool promises fresh answers and has a cache",
        "callers act on outdated answers",
    ),
    "WRITE_WITHOUT_IDEMPOTENCY": Rule(
        "a tool writes, adds or publishes and accepts no idempotency key",
        "a call repeated after a broken connection writes, adds or publishes twice",
    ),
    "WRITE_WITHOUT_SCOPE": Rule(
        "a tool that writes, adds or publishes needs no scope of its own, although the server knows scopes",
        "whoever may read may also write",
    ),
    "DERIVED_KEY_OF_WRITE": Rule(
        "a tool that writes derives its keys from the arguments",
        "set A, set B, set A ends with B, because the second A is taken for a repetition of the first",
    ),
    "EFFECTS_UNSTATED": Rule(
        "a tool names no source and does not say what it does elsewhere",
        "hosts take it for one that destroys, and ask their users before each call",
    ),
    "WRITE_THAT_ADDS": Rule(
        "a tool writes to a database, and its privileges there let it only insert",
        "hosts ask their users as before a deletion, or do not offer the tool",
    ),
    "EVENT_UNPUBLISHED": Rule(
        "no tool publishes an event",
        "subscribers wait for a message that never comes",
    ),
    "EVENT_REPEATED": Rule(
        "a channel may carry an event again, although repetitions of what published it are recognised",
        "subscribers act twice on one message",
        is_fixable=True,
    ),
    "ASK_UNUSED": Rule(
        "nothing puts an ask to its callers",
        "the server has sessions and a key for a question that is never asked",
    ),
    "S_EXPRESSION_CONTROLS": Rule(
        "a text of an event in S-expressions has no pattern that excludes control characters",
        "they are written as \\u0001, and readers without this escape, such as Rust's lexpr, reject the message",
    ),
    "RATE_LIMIT_NOT_SHARED": Rule(
        "a server with a Redis source has a rate limit without a store",
        "each replica counts its own calls, so callers get the limit as many times as there are replicas",
        is_fixable=True,
    ),
    "TASK_IN_MEMORY": Rule(
        "a server over HTTP has tasks without a store",
        "a restart loses them, and a caller who reaches another replica does not find its task",
        is_fixable=True,
    ),
    "CALL_TOO_LONG": Rule(
        "a tool without tasks has a deadline of more than 60 seconds",
        "many clients give up earlier, proxies close the connection, and the result is lost",
    ),
    "STATIC_WITHOUT_CACHE": Rule(
        "a static resource gives clients no advice on caching",
        "clients of 2026-07-28 read it again each time",
    ),
    "ENUM_WITHOUT_COMPLETION": Rule(
        "a variable of a URI lists its values and has no completions",
        "people who type a value have to know the list",
        is_fixable=True,
    ),
    "TYPE_LIST_IN_ARGUMENTS": Rule(
        "an argument lists several types",
        "Gemini rejects the whole tool; anyOf means the same",
    ),
    "NULL_FOR_ABSENT": Rule(
        "an optional argument may also be null",
        "models send null, hosts show two ways to omit a value, and handlers must handle both",
    ),
    "DATES_TOO_CLOSE": Rule(
        "a version is deprecated or ends less than 30 days after the step before",
        "callers have too little time to move",
    ),
    "SUNSET_MISSING": Rule(
        "a version is deprecated and its last day is not named",
        "callers cannot plan their move, and the version stays for ever",
    ),
    "SUNSET_PASSED": Rule(
        "a version is listed whose sunset has passed",
        "it is no longer answered and only makes the contract longer",
    ),
    "STEP_MERGES_CALLS": Rule(
        "a step drops an argument that callers of the older version must give",
        "two different calls become the same, and their callers do not learn it",
    ),
    "STEP_OVERWRITES": Rule(
        "a step fills a member of an object that admits members of any name",
        "what a caller or a handler put there is lost without an error",
    ),
    "READS_MISSING": Rule(
        "an agent does not list what it reads of a result",
        "neither the compiler nor `breaking` can tell if a change of the tool breaks the agent",
    ),
    "RETRIES_TOO_LONG": Rule(
        "the delays between an agent's retries are as long as its deadline, or longer",
        "the last retries never run",
    ),
    "LIST_TOO_LARGE": Rule(
        "tools/list is larger than the server's budget",
        "hosts put the whole list into every conversation",
    ),
}
