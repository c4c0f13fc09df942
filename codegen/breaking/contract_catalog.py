"""The rules for what a contract says around its schemas, as data."""

from __future__ import annotations

from codegen.breaking.rule import ADVICE, ERROR, MAJOR, MINOR, NOTE, PATCH, RISKY, SILENT, Rule, Verdict
from codegen.breaking.schema_catalog import TAKE_BACK

ONLY_SAYS = "nothing but the version has to change"
TELL = "tell whoever runs or calls the server, and accept this"


def breaks(name: str, summary: str, cure: str = TAKE_BACK) -> Rule:
    """A change that breaks callers, or whoever runs the server."""
    return Rule(id=name, summary=summary, cure=cure, default={"": MAJOR})


def risks(name: str, summary: str, cure: str = TELL) -> Rule:
    """A change that some callers notice; the strict profile takes them to be broken."""
    return Rule(id=name, summary=summary, cure=cure, default={"": RISKY}, strict={"": MAJOR})


def harmless(name: str, summary: str, verdict: Verdict = MINOR) -> Rule:
    """A change that hurts nobody."""
    return Rule(id=name, summary=summary, cure=ONLY_SAYS, default={"": verdict})


CONTRACT_RULES = (
    breaks("SERVER_REMOVED", "the server is gone"),
    harmless("SERVER_ADDED", "there is a new server"),
    risks("SERVER_RENAMED", "the server has another name in MCP"),
    breaks("TOOL_REMOVED", "the tool is gone"),
    breaks("TOOL_RENAMED", "the tool has another name", f"keep the old name beside the new one; else {TAKE_BACK}"),
    harmless("TOOL_ADDED", "there is a new tool"),
    Rule(
        id="ERROR_CODE_ADDED",
        summary="the tool answers with a new code",
        cure=ONLY_SAYS,
        default={"": MINOR},
        strict={"": MAJOR},
    ),
    Rule(
        id="ERROR_CODE_REMOVED",
        summary="the tool no longer answers with a code",
        cure="say in the description what is answered instead, and accept this",
        default={"": RISKY},
        strict={"": MAJOR},
        lenient={"": MINOR},
    ),
    breaks("ERROR_CLASS_CHANGED", "a code blames somebody else: its HTTP status is of another class"),
    risks("ERROR_STATUS_CHANGED", "a code has another HTTP status of the same class"),
    risks("ERROR_BINDING_CHANGED", "a code is answered on other occasions"),
    breaks("ERROR_DETAIL_REMOVED", "a code's details lack a value that they had"),
    breaks("ERROR_DETAIL_CHANGED", "a value in a code's details has another type"),
    harmless("ERROR_DETAIL_ADDED", "a code's details have one more value"),
    breaks("CONDITION_ADDED", "arguments that were taken must now fit together"),
    harmless("CONDITION_REMOVED", "arguments need no longer fit together"),
    breaks("CONDITION_TIGHTENED", "a rule between arguments is stricter"),
    harmless("CONDITION_RELAXED", "a rule between arguments is laxer"),
    risks("CONDITION_CODE_CHANGED", "a rule between arguments is answered with another code"),
    risks("CACHE_ENABLED", "answers may be old", "give callers a parameter that bypasses the cache, and accept this"),
    harmless("CACHE_DISABLED", "answers are always new"),
    risks(
        "CACHE_TTL_RAISED",
        "answers may be older than before",
        "keep ttl_s; or accept this where callers need nothing newer",
    ),
    harmless("CACHE_TTL_LOWERED", "answers are newer than before"),
    breaks(
        "CACHE_BYPASS_REMOVED", "callers can no longer ask for a fresh answer", "keep the parameter that asks for it"
    ),
    harmless("CACHE_BYPASS_ADDED", "callers can ask for a fresh answer"),
    breaks(
        "TIMEOUT_LOWERED",
        "a call is stopped earlier",
        f"keep timeout_ms: slow calls are answered today; else {TAKE_BACK}",
    ),
    harmless("TIMEOUT_RAISED", "a call is stopped later"),
    risks("SLO_RELAXED", "calls may usually take longer than was aimed at", "keep p95_ms, or accept this"),
    harmless("SLO_TIGHTENED", "calls are aimed to take less time"),
    breaks("PAGE_STYLE_CHANGED", "pages are asked for in another way"),
    breaks("IDEMPOTENCY_REMOVED", "a call that is sent again writes again", "go on remembering keys"),
    harmless("IDEMPOTENCY_ADDED", "a call that is sent again may write once"),
    breaks("IDEMPOTENCY_WINDOW_SHORTENED", "keys are forgotten earlier", "keep window_s"),
    harmless("IDEMPOTENCY_WINDOW_EXTENDED", "keys are remembered longer"),
    breaks(
        "IDEMPOTENCY_KEY_REMOVED",
        "a key is no longer taken from where callers gave it",
        "go on taking the key from there",
    ),
    harmless("PROGRESS_ADDED", "callers can be told how far the tool is"),
    risks("PROGRESS_REMOVED", "callers are not told any more how far the tool is"),
    harmless("FRESH_ADDED", "answers are promised to be fresh"),
    risks("FRESH_REMOVED", "answers are not promised to be fresh any more"),
    breaks(
        "SIDE_EFFECT_ADDED",
        "the tool writes to a source that it left alone",
        "let another tool write: hosts and people have consented to one that does not",
    ),
    harmless("SIDE_EFFECT_REMOVED", "the tool no longer writes to a source"),
    harmless("READS_CHANGED", "the tool reads other sources", PATCH),
    breaks(
        "SETTING_REQUIRED",
        "the server does not start without a setting that it could do without",
        "give the setting a default",
    ),
    harmless("SETTING_ADDED", "there is a new setting"),
    risks("SETTING_REMOVED", "a setting is no longer heeded"),
    breaks("SETTING_ENV_CHANGED", "a setting is read from another variable", "keep the name of the variable"),
    risks("SETTING_DEFAULT_CHANGED", "a setting that nobody gives has another value"),
    Rule(
        id="SETTING_EXPOSED",
        summary="a setting is no secret any more",
        cure="keep it secret, or accept this when nothing of it may harm",
        default={"": NOTE},
        strict={"": MAJOR},
    ),
    harmless("SETTING_HIDDEN", "a setting has become a secret", PATCH),
    risks(
        "SOURCE_REMOVED", "a source has another name or is gone, and variables that replaced its limits are not heeded"
    ),
    harmless("SOURCE_ADDED", "there is a new source", PATCH),
    risks("SOURCE_KIND_CHANGED", "a source is a system of another kind"),
    harmless("SOURCE_LIMIT_CHANGED", "a limit of a source is another", PATCH),
    breaks("DIALECT_CHANGED", "answers come in another envelope"),
    breaks("DIALECT_CODE_CHANGED", "the dialect answers with another code or status"),
    Rule(
        id="OLDER_VERSION_CHANGED",
        summary="a version that callers may name takes or gives something else, or is carried otherwise",
        cure="put back what it said: a version that was published never changes",
        default={"": ERROR},
    ),
    breaks("OLDER_VERSION_REMOVED", "a version is not answered any more", "keep it in `versions` until its sunset"),
    harmless("OLDER_VERSION_ENDED", "a version is not answered any more, and its last day has passed"),
    harmless("OLDER_VERSION_KEPT", "one more version is answered beside the newest"),
    Rule(
        id="OLDER_VERSION_DAY_CLOSER",
        summary="a version is deprecated, or ends, earlier than callers were told",
        cure="keep the day, or name a later one",
        default={"": ERROR},
    ),
    harmless("OLDER_VERSION_DAY_LATER", "a version is deprecated, or ends, later than callers were told, or never"),
    harmless("OLDER_VERSION_DAY_NAMED", "callers are told when a version is deprecated, or ends"),
    harmless("RELEASE_DAY_CHANGED", "a version says another day of release", PATCH),
    harmless("EXAMPLE_CHANGED", "the examples are others", PATCH),
    Rule(
        id="VERSION_NOT_BUMPED",
        summary="something changed and the version did not",
        cure="write the version that the finding names",
        default={"": ERROR},
    ),
    Rule(
        id="VERSION_TOO_SMALL",
        summary="the version promises less change than there is",
        cure="write the version that the finding names",
        default={"": ERROR},
    ),
    Rule(
        id="VERSION_TOO_LARGE",
        summary="the version promises more change than there is",
        cure="write the version that the finding names, or accept this",
        default={"": ADVICE},
        strict={"": ERROR},
        lenient={"": SILENT},
    ),
    Rule(
        id="VERSION_DECREASED",
        summary="the version is lower than before",
        cure="write a version that is higher than the old one",
        default={"": ERROR},
    ),
)
