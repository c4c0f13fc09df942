"""Requests and results of everything.

Generated from tests/toolaccord/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolaccord.contract_model import ContractModel


class TestSimpleTextRequest(ContractModel):
    """Arguments of test_simple_text."""


class TestImageContentRequest(ContractModel):
    """Arguments of test_image_content."""


class TestAudioContentRequest(ContractModel):
    """Arguments of test_audio_content."""


class TestEmbeddedResourceRequest(ContractModel):
    """Arguments of test_embedded_resource."""


class TestMultipleContentTypesRequest(ContractModel):
    """Arguments of test_multiple_content_types."""


class TestToolWithLoggingRequest(ContractModel):
    """Arguments of test_tool_with_logging."""


class TestErrorHandlingRequest(ContractModel):
    """Arguments of test_error_handling."""


class TestToolWithProgressRequest(ContractModel):
    """Arguments of test_tool_with_progress."""


class TestSamplingRequest(ContractModel):
    """Arguments of test_sampling."""

    prompt: Annotated[str, Field(max_length=1000)]
    """Any text"""


class TestElicitationRequest(ContractModel):
    """Arguments of test_elicitation."""

    message: Annotated[str, Field(max_length=1000)]
    """Any text"""


class TestElicitationSep1034DefaultsRequest(ContractModel):
    """Arguments of test_elicitation_sep1034_defaults."""


class TestElicitationSep1330EnumsRequest(ContractModel):
    """Arguments of test_elicitation_sep1330_enums."""


class TestLoggingToolRequest(ContractModel):
    """Arguments of test_logging_tool."""


class TestStreamingElicitationRequest(ContractModel):
    """Arguments of test_streaming_elicitation."""


class TestMissingCapabilityRequest(ContractModel):
    """Arguments of test_missing_capability."""


class TestInputRequiredResultElicitationRequest(ContractModel):
    """Arguments of test_input_required_result_elicitation."""


class TestInputRequiredResultSamplingRequest(ContractModel):
    """Arguments of test_input_required_result_sampling."""


class TestInputRequiredResultListRootsRequest(ContractModel):
    """Arguments of test_input_required_result_list_roots."""


class TestInputRequiredResultRequestStateRequest(ContractModel):
    """Arguments of test_input_required_result_request_state."""


class TestInputRequiredResultMultipleInputsRequest(ContractModel):
    """Arguments of test_input_required_result_multiple_inputs."""


class TestInputRequiredResultMultiRoundRequest(ContractModel):
    """Arguments of test_input_required_result_multi_round."""


class TestInputRequiredResultTamperedStateRequest(ContractModel):
    """Arguments of test_input_required_result_tampered_state."""


class TestInputRequiredResultCapabilitiesRequest(ContractModel):
    """Arguments of test_input_required_result_capabilities."""


class TestHeaderRequest(ContractModel):
    """Arguments of test_header."""

    region: Annotated[str, Field(max_length=100)]
    """Name of a region"""


class ReadWatchedResourceRequest(ContractModel):
    """Variables in the URI of watched_resource."""


class ReadTemplateRequest(ContractModel):
    """Variables in the URI of template."""

    id: Annotated[str, Field(max_length=64)]
    """Id of the data"""


class ReadTemplateResult(ContractModel):
    """Content of template."""

    id: str
    data: str


class PromptTestSimplePromptRequest(ContractModel):
    """Arguments of the prompt test_simple_prompt."""


class PromptTestPromptWithArgumentsRequest(ContractModel):
    """Arguments of the prompt test_prompt_with_arguments."""

    arg1: Annotated[str, Field(max_length=100)]
    """First argument"""
    arg2: Annotated[str, Field(max_length=100)]
    """Second argument"""


class PromptTestPromptWithEmbeddedResourceRequest(ContractModel):
    """Arguments of the prompt test_prompt_with_embedded_resource."""

    resourceUri: Annotated[str, Field(max_length=1000)]
    """URI of the resource"""


class PromptTestPromptWithImageRequest(ContractModel):
    """Arguments of the prompt test_prompt_with_image."""


class PromptTestInputRequiredResultPromptRequest(ContractModel):
    """Arguments of the prompt test_input_required_result_prompt."""


class UserMessageAnswer(ContractModel):
    """Show a message, and ask for a name and an address."""

    username: str
    """Name"""
    email: str
    """Address"""


class DefaultsAnswer(ContractModel):
    """Ask with a default for each type."""

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


class ChoicesAnswer(ContractModel):
    """Ask with each kind of choice."""

    untitledSingle: Literal["option1", "option2", "option3"] | None = None
    titledSingle: Literal["value1", "value2", "value3"] | None = None
    legacyEnum: Literal["opt1", "opt2", "opt3"] | None = None
    untitledMulti: list[Literal["option1", "option2", "option3"]] | None = None
    titledMulti: list[Literal["value1", "value2", "value3"]] | None = None


class UserNameAnswer(ContractModel):
    """Ask for a name."""

    name: Annotated[str, Field(max_length=1000)]
    """Name"""


class UserContextAnswer(ContractModel):
    """Ask for the context of a prompt."""

    context: Annotated[str, Field(max_length=1000)]
    """Any text"""


class ConfirmAnswer(ContractModel):
    """Ask for a confirmation."""

    ok: bool
    """True to confirm"""


class Step1Answer(ContractModel):
    """Ask for a name first."""

    name: Annotated[str, Field(max_length=1000)]
    """Name"""


class Step2Answer(ContractModel):
    """Ask for a colour then."""

    color: Annotated[str, Field(max_length=1000)]
    """Colour"""
