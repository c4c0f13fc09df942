"""Requests and results of everything.

Generated from tests/toolaccord/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

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


class TestSamplingRequest(BaseModel):
    """Arguments of test_sampling."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    prompt: Annotated[str, Field(max_length=1000)]
    """Any text"""


class TestElicitationRequest(BaseModel):
    """Arguments of test_elicitation."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    message: Annotated[str, Field(max_length=1000)]
    """Any text"""


class TestElicitationSep1034DefaultsRequest(BaseModel):
    """Arguments of test_elicitation_sep1034_defaults."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestElicitationSep1330EnumsRequest(BaseModel):
    """Arguments of test_elicitation_sep1330_enums."""

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


class TestMissingCapabilityRequest(BaseModel):
    """Arguments of test_missing_capability."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultElicitationRequest(BaseModel):
    """Arguments of test_input_required_result_elicitation."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultSamplingRequest(BaseModel):
    """Arguments of test_input_required_result_sampling."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultListRootsRequest(BaseModel):
    """Arguments of test_input_required_result_list_roots."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultRequestStateRequest(BaseModel):
    """Arguments of test_input_required_result_request_state."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultMultipleInputsRequest(BaseModel):
    """Arguments of test_input_required_result_multiple_inputs."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultMultiRoundRequest(BaseModel):
    """Arguments of test_input_required_result_multi_round."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultTamperedStateRequest(BaseModel):
    """Arguments of test_input_required_result_tampered_state."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TestInputRequiredResultCapabilitiesRequest(BaseModel):
    """Arguments of test_input_required_result_capabilities."""

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


class ReadWatchedResourceRequest(BaseModel):
    """Variables in the URI of watched_resource."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class ReadTemplateRequest(BaseModel):
    """Variables in the URI of template."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    id: Annotated[str, Field(max_length=64)]
    """Id of the data"""


class ReadTemplateResult(BaseModel):
    """Content of template."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    id: str
    data: str


class PromptTestSimplePromptRequest(BaseModel):
    """Arguments of the prompt test_simple_prompt."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class PromptTestPromptWithArgumentsRequest(BaseModel):
    """Arguments of the prompt test_prompt_with_arguments."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    arg1: Annotated[str, Field(max_length=100)]
    """First argument"""
    arg2: Annotated[str, Field(max_length=100)]
    """Second argument"""


class PromptTestPromptWithEmbeddedResourceRequest(BaseModel):
    """Arguments of the prompt test_prompt_with_embedded_resource."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    resourceUri: Annotated[str, Field(max_length=1000)]
    """URI of the resource"""


class PromptTestPromptWithImageRequest(BaseModel):
    """Arguments of the prompt test_prompt_with_image."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class PromptTestInputRequiredResultPromptRequest(BaseModel):
    """Arguments of the prompt test_input_required_result_prompt."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class UserMessageAnswer(BaseModel):
    """Show a message, and ask for a name and an address."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    username: str
    """Name"""
    email: str
    """Address"""


class DefaultsAnswer(BaseModel):
    """Ask with a default for each type."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: str = "John Doe"
    """Name"""
    age: int = 30
    """Age in years"""
    score: float | int = 95.5
    """Score"""
    status: Literal["active", "inactive", "pending"] = "active"
    """Status"""
    verified: bool = True
    """True if verified"""


class ChoicesAnswer(BaseModel):
    """Ask with each kind of choice."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    untitledSingle: Literal["option1", "option2", "option3"] | None = None
    titledSingle: Literal["value1", "value2", "value3"] | None = None
    legacyEnum: Literal["opt1", "opt2", "opt3"] | None = None
    untitledMulti: list[Literal["option1", "option2", "option3"]] | None = None
    titledMulti: list[Literal["value1", "value2", "value3"]] | None = None


class UserNameAnswer(BaseModel):
    """Ask for a name."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=1000)]
    """Name"""


class UserContextAnswer(BaseModel):
    """Ask for the context of a prompt."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    context: Annotated[str, Field(max_length=1000)]
    """Any text"""


class ConfirmAnswer(BaseModel):
    """Ask for a confirmation."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    ok: bool
    """True to confirm"""


class Step1Answer(BaseModel):
    """Ask for a name first."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=1000)]
    """Name"""


class Step2Answer(BaseModel):
    """Ask for a colour then."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    color: Annotated[str, Field(max_length=1000)]
    """Colour"""
