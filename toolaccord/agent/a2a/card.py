"""Agent card: the document by which other agents find an agent."""

from __future__ import annotations

from typing import Any

from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)

from toolaccord.agent.a2a.messages import MessageFormat
from toolaccord.agent.declarations import Agent

ENDPOINT = "/a2a/v1"
"""Path of JSON-RPC, and the beginning of the paths of HTTP+JSON."""
_BINDINGS = (("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"))
_SCHEME = "bearer"


def build_card(agent: Agent[Any, Any, Any], url: str, *, needs_token: bool) -> AgentCard:
    """Return the card of *agent*, which others reach at *url*."""
    modes = MessageFormat(agent).media_types
    card = AgentCard(
        name=agent.name,
        description=agent.description,
        version=agent.version,
        supported_interfaces=[
            AgentInterface(url=f"{url}{ENDPOINT}", protocol_binding=binding, protocol_version=version)
            for binding, version in _BINDINGS
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False),
        default_input_modes=modes,
        default_output_modes=modes,
        skills=[
            AgentSkill(
                id=each.name,
                name=each.title or each.name,
                description=each.description,
                tags=each.tags,
                examples=each.examples,
            )
            for each in agent.skills
        ],
    )
    if needs_token:
        card.security_schemes[_SCHEME].CopyFrom(
            SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="Bearer"))
        )
        card.security_requirements.append(SecurityRequirement(schemes={_SCHEME: StringList(list=agent.scopes)}))
    return card
