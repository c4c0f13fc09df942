"""Choice of the model at start: the one of the settings, or the contract's fallback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openai import APIStatusError, AuthenticationError, OpenAIError

from toolaccord.agent.declarations import Agent
from toolaccord.agent.model.api import ModelApi, Offer, describe_lack
from toolaccord.contract.agents import Model
from toolaccord.server.startup import StartError

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 30.0
"""Seconds for the whole check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The model that the agent uses."""

    name: str
    """Its name at the API."""
    is_openrouter: bool
    """True if the API is OpenRouter's, or one like it."""


async def select_model(agent: Agent[Any, Any, Any], model: Model, wanted: str, api: ModelApi) -> Selection:
    """Return the model *wanted*, or the fallback if that lacks what the contract requires.

    A fallback is a warning in the log. Raises StartError if both lack something, or if the API does not answer.
    """
    env = {setting.name: setting.env for setting in agent.settings}
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            offers = await api.describe_models()
            is_openrouter = bool(offers) and await api.describes_key()
            lack = await _find_lack(model, wanted, offers, api)
            fallback_lack = await _find_lack(model, model.fallback, offers, api) if lack else None
    except AuthenticationError as error:
        sentence = f"{env[model.token]} is no valid key of the API in {env[model.url]}: set it to one"
        raise StartError(sentence) from error
    except (OpenAIError, TimeoutError) as error:
        raise StartError(
            f"the model {wanted} cannot be checked, because the API in {env[model.url]} does not answer ({_describe(error)}). "
            f"Try again later, or unset {env[model.name]} to work without a model"
        ) from error
    if lack and fallback_lack:
        raise StartError(
            f"the model {wanted} {lack}, and the fallback {model.fallback} {fallback_lack}: "
            f"set {env[model.name]} to a model with {_describe_need(model)}, or unset it to work without a model"
        )
    if lack:
        _LOG.warning("the model %s %s: the fallback %s replaces it", wanted, lack, model.fallback)
    return Selection(name=model.fallback if lack else wanted, is_openrouter=is_openrouter)


async def _find_lack(model: Model, name: str, offers: Mapping[str, Offer], api: ModelApi) -> str | None:
    """Return what *name* lacks, as a predicate; None if it can be used.

    A request shows each capability of a model that the API does not describe.
    """
    offer = _find(offers, name)
    for capability in model.requires:
        if offer is None:
            if lack := await api.find_lack(capability, name):
                return lack
        elif capability not in offer.capabilities:
            return describe_lack(capability)
    if offer and offer.context_window is not None and offer.context_window < model.min_context_window:
        return f"has a context of only {offer.context_window} tokens"
    return None


def _find(offers: Mapping[str, Offer], name: str) -> Offer | None:
    """Return the offer of *name*, or of the model whose variant it is.

    A variant has an ending, such as `openai/gpt-4o:nitro`.
    """
    return offers.get(name) or offers.get(name.partition(":")[0])


def _describe(error: OpenAIError | TimeoutError) -> str:
    if isinstance(error, APIStatusError):
        return f"status {error.status_code}"
    if isinstance(error, TimeoutError):
        return f"no answer within {_TIMEOUT_S:g} s"
    return ": ".join(str(each).rstrip(".") for each in (error, error.__cause__) if each)


def _describe_need(model: Model) -> str:
    capabilities = " and ".join(each.replace("_", " ") for each in model.requires)
    return f"{capabilities} and at least {model.min_context_window} tokens of context"
