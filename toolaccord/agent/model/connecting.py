"""Connection of an agent to its model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider

from toolaccord.agent import declarations
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.model.api import ModelApi
from toolaccord.agent.model.selection import Selection, select_model
from toolaccord.agent.model.tools import build_tools
from toolaccord.agent.model.writer import ModelWriter
from toolaccord.client.base import ServerClient
from toolaccord.contract import agents
from toolaccord.sources import MAX_RESPONSE_BYTES
from toolaccord.sources.http_response import read_body
from toolaccord.timing.clock import Clock

_TIMEOUT_S = 10.0
"""Seconds for one request to the model's API."""
_ENCODING = {"content-encoding", "content-length", "transfer-encoding"}
"""Headers of a body as it was sent, which those of a decoded body lack."""


class _HttpClient(httpx2.AsyncClient):
    """A client that reads bounded answers.

    It follows no redirect: another host would read the prompt and the key.
    """

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return the answer to *request*.

        Raises RequestError, also for a body above MAX_RESPONSE_BYTES.
        """
        answer = await super().send(request, **{**options, "stream": True, "follow_redirects": False})
        async with aclosing(answer):
            body = await read_body(answer, MAX_RESPONSE_BYTES)
        if body is None:
            raise httpx2.ReadError(f"the answer exceeds {MAX_RESPONSE_BYTES} bytes")
        headers = [(name, value) for name, value in answer.headers.multi_items() if name not in _ENCODING]
        return httpx2.Response(answer.status_code, headers=headers, content=body, request=request)


@asynccontextmanager
async def connect_model(
    agent: declarations.Agent[Any, Any, Any],
    declared: agents.Model,
    settings: Mapping[str, Any],
    clients: Mapping[str, ServerClient],
    metrics: AgentMetrics,
    clock: Clock,
) -> AsyncIterator[ModelWriter]:
    """Provide the model that *settings* name, or its fallback, after checking it.

    Raises StartError.
    """
    async with AsyncOpenAI(
        base_url=settings[declared.url],
        api_key=settings[declared.token] or "none",  # a server of one's own may need no key, but the library does
        timeout=_TIMEOUT_S,
        max_retries=1,
        http_client=_HttpClient(timeout=_TIMEOUT_S),
    ) as client:
        wanted = settings[declared.name]
        selection = await select_model(agent, declared, wanted, ModelApi(client))
        metrics.record_model(wanted, is_replaced=selection.name != wanted)
        tools = list(build_tools(agent.uses, clients)) if "tool_calling" in declared.requires else None
        yield ModelWriter(_create_model(selection, declared, client), agent.instructions, tools, metrics, clock)


def _create_model(selection: Selection, declared: agents.Model, client: AsyncOpenAI) -> Model:
    """Return the library's model; the check has shown what *declared* requires.

    The library knows the peculiarities of providers, such as the schemas that Gemini admits.
    """
    profile = ModelProfile(supports_json_schema_output=True) if "structured_output" in declared.requires else None
    if selection.is_openrouter:
        return OpenRouterModel(selection.name, provider=OpenRouterProvider(openai_client=client), profile=profile)
    provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
    return OpenAIChatModel(selection.name, provider=provider, profile=profile)
