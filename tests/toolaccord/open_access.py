"""Access of everybody to a server in this process."""

from toolaccord.callers.rules import TokenRules
from toolaccord.config.access_rules import AccessRules

OPEN = AccessRules(
    tokens=TokenRules(),
    hosts=frozenset(),
    origins=frozenset(),
    open_paths=frozenset(),
    max_body_bytes=1 << 22,
    max_connections=100,
)
