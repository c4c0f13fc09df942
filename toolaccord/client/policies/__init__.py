"""Policies of typed clients: retries, a time budget, a cache, a limit of concurrent calls."""

from toolaccord.client.policies.executor import ClientPolicies
from toolaccord.client.policies.observer import CallObserver, ObservedTool
from toolaccord.client.policies.records import ClientCache, Deadline
from toolaccord.contract.policies import ToolCache
from toolaccord.timing.retrying import Retry

__all__ = ["CallObserver", "ClientCache", "ClientPolicies", "Deadline", "ObservedTool", "Retry", "ToolCache"]
