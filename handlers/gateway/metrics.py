"""The metrics file that Swimmy writes: an association list with a schema version."""

from handlers.gateway.universal_time import format_universal_time
from toolaccord.json_values import JsonObject
from toolaccord.s_expressions.reader import SExpressionError, parse


def parse_metrics(content: bytes) -> JsonObject:
    """Return the members of a metrics file, with its timestamp in ISO 8601.

    Raises SExpressionError for content that is no association list, as in a file that is half written.
    """
    metrics = parse(content)
    if not isinstance(metrics, dict):
        raise SExpressionError("the metrics are no association list")
    timestamp = metrics.get("timestamp")
    if isinstance(timestamp, int) and (written := format_universal_time(timestamp)):
        metrics["timestamp"] = written
    return metrics
