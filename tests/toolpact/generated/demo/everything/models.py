"""Requests and results of everything.

Generated from tests/toolpact/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class TestSimpleTextRequest(BaseModel):
    """Arguments of test_simple_text."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestImageContentRequest(BaseModel):
    """Arguments of test_image_content."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestAudioContentRequest(BaseModel):
    """Arguments of test_audio_content."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestEmbeddedResourceRequest(BaseModel):
    """Arguments of test_embedded_resource."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestMultipleContentTypesRequest(BaseModel):
    """Arguments of test_multiple_content_types."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestToolWithLoggingRequest(BaseModel):
    """Arguments of test_tool_with_logging."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestErrorHandlingRequest(BaseModel):
    """Arguments of test_error_handling."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestToolWithProgressRequest(BaseModel):
    """Arguments of test_tool_with_progress."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestLoggingToolRequest(BaseModel):
    """Arguments of test_logging_tool."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestStreamingElicitationRequest(BaseModel):
    """Arguments of test_streaming_elicitation."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestHeaderRequest(BaseModel):
    """Arguments of test_header."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    region: Annotated[str, Field(max_length=100)]
    """Name of a region"""
