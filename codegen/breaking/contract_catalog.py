"""Rules for changes of a contract outside of its schemas."""

from __future__ import annotations

from codegen.breaking.rule import ADVICE, ERROR, MAJOR, MINOR, NOTE, PATCH, RISKY, SILENT, Impact, Rule
from codegen.breaking.schema_catalog import TAKE_BACK

VERSION_ONLY = "only the version has to change"
ANNOUNCE = "announce it to operators and callers, and accept this"


def _breaking(name: str, summary: str, cure: str = TAKE_BACK) -> Rule:
    """Return a rule for a change that breaks callers or operators."""
    return Rule(name, summary, cure, {"": MAJOR})


def _risky(name: str, summary: str, cure: str = ANNOUNCE) -> Rule:
    """Return a rule for a change that some callers notice. It is breaking in the strict profile."""
    return Rule(name, summary, cure, {"": RISKY}, strict={"": MAJOR})


def _compatible(name: str, summary: str, impact: Impact = MINOR) -> Rule:
    """Return a rule for a compatible change."""
    return Rule(name, summary, VERSION_ONLY, {"": impact})


CONTRACT_RULES = (
    _breaking("SERVER_REMOVED", "the server was removed"),
    _compatible("SERVER_ADDED", "a server was added"),
    _risky("SERVER_RENAMED", "the server has another name in MCP"),
    _breaking("AGENT_REMOVED", "the agent was removed"),
    _compatible("AGENT_ADDED", "an agent was added"),
    _breaking("AGENT_RENAMED", "the agent has another name, and so have its metrics", "keep the name"),
    Rule(
        "AGENT_OUT_OF_RANGE",
        "the version of a server is outside of the range of an agent that uses it",
        "release the agent for the new version before the server, and accept this",
        {"": ERROR},
        lenient={"": ADVICE},
    ),
    _risky("USE_ADDED", "the agent needs another server, or finds one in another way"),
    _compatible("USE_REMOVED", "the agent no longer needs a server"),
    _compatible("USE_CHANGED", "the agent uses a server in another way", PATCH),
    _risky("MODEL_CHANGED", "the agent has another model, or other requirements for it"),
    _breaking("SKILL_REMOVED", "the agent lost a skill"),
    _compatible("SKILL_ADDED", "the agent has a new skill"),
    _compatible("SKILL_CHANGED", "a skill has other texts", PATCH),
    _breaking("METRIC_REMOVED", "a metric is no longer measured"),
    _compatible("METRIC_ADDED", "a metric was added"),
    _breaking("METRIC_CHANGED", "a metric has another kind, value, condition, or other buckets or labels"),
    _compatible("POLICY_CHANGED", "the agent caches, repeats or limits in another way", PATCH),
    _breaking("BATCH_CHANGED", "batches are of another argument, or no longer possible"),
    _compatible("QUEUE_ADDED", "processes of the agent can share requests"),
    _breaking("QUEUE_REMOVED", "requests in the queue are never begun", "keep the queue"),
    _breaking(
        "QUEUE_CHANGED",
        "schedulers and workers of two versions use different queues",
        "stop all schedulers, let the workers empty the queue, and accept this",
    ),
    _breaking("TOOL_REMOVED", "the tool was removed"),
    _breaking("TOOL_RENAMED", "the tool was renamed", f"keep the old name beside the new one; else {TAKE_BACK}"),
    _compatible("TOOL_ADDED", "a tool was added"),
    _breaking("RESOURCE_REMOVED", "a resource was removed"),
    _risky("RESOURCE_RENAMED", "a resource has another name, and so have the methods of typed clients"),
    _compatible("RESOURCE_ADDED", "a resource was added"),
    _breaking("RESOURCE_URI_CHANGED", "a resource has another URI"),
    _breaking("RESOURCE_CONTENT_CHANGED", "a resource has another kind of content or another media type"),
    _compatible("RESOURCE_STATIC_CHANGED", "a static content changed, or a handler reads it now", PATCH),
    _breaking("SUBSCRIPTION_REMOVED", "clients can no longer subscribe to changes of a resource"),
    _compatible("SUBSCRIPTION_ADDED", "clients can subscribe to changes of a resource"),
    _risky("CACHE_SCOPE_CHANGED", "callers share a cached content that was private, or no longer share it"),
    _risky("COMPLETION_REMOVED", "a value has no completions any more"),
    _compatible("COMPLETION_ADDED", "a value has completions"),
    _breaking("TRANSPORT_REMOVED", "the server or a tool no longer exists on a transport"),
    _compatible("TRANSPORT_ADDED", "the server or a tool exists on one more transport"),
    _risky("SESSIONS_ADDED", "clients of 2025-11-25 over HTTP open sessions, and a proxy must route by session"),
    _risky("SESSIONS_REMOVED", "clients of 2025-11-25 over HTTP can no longer cancel a call"),
    _breaking("ACCESS_CHANGED", "callers on a transport need a key, or another one, or none"),
    Rule("ERROR_CODE_ADDED", "the tool can return a new error code", VERSION_ONLY, {"": MINOR}, strict={"": MAJOR}),
    Rule(
        "ERROR_CODE_REMOVED",
        "the tool no longer returns an error code",
        "describe what is returned instead, and accept this",
        {"": RISKY},
        strict={"": MAJOR},
        lenient={"": MINOR},
    ),
    _breaking("ERROR_CLASS_CHANGED", "an error code has an HTTP status of another class"),
    _risky("ERROR_STATUS_CHANGED", "an error code has another HTTP status of the same class"),
    _breaking("ERROR_NUMBER_CHANGED", "an error code has another number in JSON-RPC"),
    _risky("ERROR_BINDING_CHANGED", "an error code is returned on other occasions"),
    _breaking("ERROR_RETRYABLE_REMOVED", "an error code is no longer retryable"),
    _compatible("ERROR_RETRYABLE_ADDED", "an error code is now retryable"),
    _breaking("ERROR_DETAIL_REMOVED", "an error code's details lost a value"),
    _breaking("ERROR_DETAIL_CHANGED", "a value in an error code's details has another type"),
    _compatible("ERROR_DETAIL_ADDED", "an error code's details gained a value"),
    _breaking("CONDITION_ADDED", "there is a new condition between arguments"),
    _compatible("CONDITION_REMOVED", "a condition between arguments was removed"),
    _breaking("CONDITION_TIGHTENED", "a condition between arguments is stricter"),
    _compatible("CONDITION_RELAXED", "a condition between arguments is less strict"),
    _risky("CONDITION_CODE_CHANGED", "a condition between arguments has another error code"),
    _risky("CACHE_ENABLED", "answers may be old", "give callers an argument that bypasses the cache, and accept this"),
    _compatible("CACHE_DISABLED", "answers are always new"),
    _risky(
        "CACHE_TTL_RAISED",
        "answers may be older than before",
        "keep ttl_s; or accept this if callers need nothing newer",
    ),
    _compatible("CACHE_TTL_LOWERED", "answers are newer than before"),
    _risky(
        "CACHE_MEMORY_TTL_RAISED",
        "a refreshed answer reaches callers of other replicas later",
        "keep memory_ttl_s; or accept this if no caller goes from one replica to another",
    ),
    _compatible("CACHE_MEMORY_TTL_LOWERED", "a refreshed answer reaches callers of other replicas sooner"),
    _compatible("CACHE_STORE_CHANGED", "answers are cached once for all replicas, or no longer, or elsewhere"),
    _breaking(
        "CACHE_BYPASS_REMOVED",
        "callers can no longer request a fresh answer",
        "keep the argument that bypasses the cache",
    ),
    _compatible("CACHE_BYPASS_ADDED", "callers can request a fresh answer"),
    _breaking(
        "TIMEOUT_LOWERED",
        "a call is stopped earlier",
        f"keep timeout_ms, because slow calls are answered today; else {TAKE_BACK}",
    ),
    _compatible("TIMEOUT_RAISED", "a call is stopped later"),
    _risky("SLO_RELAXED", "the target for the usual duration of calls is longer", "keep p95_ms, or accept this"),
    _compatible("SLO_TIGHTENED", "the target for the usual duration of calls is shorter"),
    _breaking("PAGE_STYLE_CHANGED", "pages are requested in another way"),
    _breaking("IDEMPOTENCY_REMOVED", "a repeated call writes again", "keep idempotency"),
    _compatible("IDEMPOTENCY_ADDED", "a repeated call can write once"),
    _breaking("IDEMPOTENCY_WINDOW_SHORTENED", "keys are remembered for a shorter time", "keep window_s"),
    _compatible("IDEMPOTENCY_WINDOW_EXTENDED", "keys are remembered for a longer time"),
    _breaking(
        "IDEMPOTENCY_KEY_REMOVED",
        "a key is no longer read from a place that callers use",
        "keep reading the key from there",
    ),
    _risky("IDEMPOTENCY_DERIVED_ADDED", "equal calls are executed once, although a caller may mean both"),
    _risky("IDEMPOTENCY_STORE_CHANGED", "the keys of earlier calls are forgotten, and calls repeated now act again"),
    _breaking(
        "RATE_LIMIT_LOWERED",
        "a caller may make fewer calls",
        f"keep the limit, because callers may use it up today; else {TAKE_BACK}",
    ),
    _compatible("RATE_LIMIT_RAISED", "a caller may make more calls"),
    _compatible("PROGRESS_ADDED", "callers can request progress"),
    _risky("PROGRESS_REMOVED", "callers can no longer request progress"),
    _compatible("LOGGING_ADDED", "callers can receive log messages"),
    _risky("LOGGING_REMOVED", "callers no longer receive log messages"),
    _breaking("ANSWER_FORM_CHANGED", "the tool begins or ceases to return a result, or content"),
    _risky("CONTENT_KIND_ADDED", "the tool can return another kind of content"),
    _risky("CONTENT_KIND_REMOVED", "the tool no longer returns a kind of content"),
    _compatible("FRESH_ADDED", "answers are guaranteed to be fresh"),
    _risky("FRESH_REMOVED", "answers are no longer guaranteed to be fresh"),
    _breaking(
        "SIDE_EFFECT_ADDED",
        "the tool writes to another source",
        "let another tool write, because hosts and users consented to a tool that does not",
    ),
    _compatible("SIDE_EFFECT_REMOVED", "the tool no longer writes to a source"),
    _compatible("READS_CHANGED", "the tool reads other sources", PATCH),
    _breaking(
        "PUBLICATION_ADDED",
        "the tool publishes another event",
        "let another tool publish it, because hosts and users consented to a tool that does not",
    ),
    _risky("PUBLICATION_REMOVED", "the tool no longer publishes an event"),
    _breaking("EVENT_REMOVED", "an event is no longer published"),
    _compatible("EVENT_ADDED", "an event was added"),
    _breaking(
        "EVENT_DELIVERY_CHANGED",
        "an event has another source, subject, channel, encoding or symbols, and subscribers no longer receive it",
        "publish another event beside this one until its subscribers have moved",
    ),
    _breaking(
        "EVENT_WINDOW_SHORTENED",
        "a channel may carry an event again after a shorter time",
        "keep duplicate_window_s, because subscribers rely on it",
    ),
    _compatible("EVENT_WINDOW_EXTENDED", "a channel carries an event of one id once for a longer time"),
    _breaking(
        "ASK_ADDED",
        "the tool asks its callers, and fails for those that cannot be asked",
        "ask only if call.ask.supports says that the caller can be asked, and accept this",
    ),
    _compatible("ASK_REMOVED", "the tool asks its callers less"),
    _breaking("ASK_KIND_CHANGED", "an ask needs another capability of the client", "add another ask beside this one"),
    _compatible("ASK_WORDING_CHANGED", "an ask has another text", PATCH),
    _breaking(
        "SETTING_REQUIRED",
        "the server does not start without a setting that was optional",
        "give the setting a default",
    ),
    _compatible("SETTING_ADDED", "a setting was added"),
    _risky("SETTING_REMOVED", "a setting is no longer read"),
    _breaking("SETTING_ENV_CHANGED", "a setting is read from another variable", "keep the name of the variable"),
    _risky("SETTING_DEFAULT_CHANGED", "a setting has another default"),
    Rule(
        "SETTING_EXPOSED",
        "a setting is no longer secret",
        "keep it secret, or accept this if it is harmless",
        {"": NOTE},
        strict={"": MAJOR},
    ),
    _compatible("SETTING_HIDDEN", "a setting is now secret", PATCH),
    _risky("SOURCE_REMOVED", "a source was removed or renamed, and its limits' variables are no longer read"),
    _compatible("SOURCE_ADDED", "a source was added", PATCH),
    _risky("SOURCE_KIND_CHANGED", "a source is another kind of system"),
    _compatible("SOURCE_LIMIT_CHANGED", "a source has another limit", PATCH),
    _breaking("DIALECT_CHANGED", "answers have another envelope"),
    _breaking("DIALECT_CODE_CHANGED", "the dialect has another code or status for an occasion"),
    Rule(
        "OLDER_VERSION_CHANGED",
        "an older version has other parameters, returns or steps",
        "restore it: a published version never changes",
        {"": ERROR},
    ),
    _breaking(
        "OLDER_VERSION_REMOVED", "an older version is no longer answered", "keep it in `versions` until its sunset"
    ),
    _compatible("OLDER_VERSION_ENDED", "an older version is no longer answered, and its last day has passed"),
    _compatible("OLDER_VERSION_KEPT", "one more version is answered beside the newest"),
    Rule(
        "OLDER_VERSION_DAY_CLOSER",
        "a version is deprecated or ends earlier than announced",
        "keep the date, or choose a later one",
        {"": ERROR},
    ),
    _compatible("OLDER_VERSION_DAY_LATER", "a version is deprecated or ends later than announced, or never"),
    _compatible("OLDER_VERSION_DAY_NAMED", "a version's deprecation or end was announced"),
    _compatible("RELEASE_DAY_CHANGED", "a version has another release date", PATCH),
    _compatible("EXAMPLE_CHANGED", "the examples changed", PATCH),
    Rule(
        "VERSION_NOT_BUMPED",
        "something changed and the version did not",
        "write the version that the finding names",
        {"": ERROR},
    ),
    Rule(
        "VERSION_TOO_SMALL",
        "the version grew less than the changes require",
        "write the version that the finding names",
        {"": ERROR},
    ),
    Rule(
        "VERSION_TOO_LARGE",
        "the version grew more than the changes require",
        "write the version that the finding names, or accept this",
        {"": ADVICE},
        strict={"": ERROR},
        lenient={"": SILENT},
    ),
    Rule(
        "VERSION_DECREASED",
        "the version is lower than before",
        "write a version that is higher than the old one",
        {"": ERROR},
    ),
)
