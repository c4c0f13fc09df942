"""Typed client of everything.

Generated from tests/toolaccord/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Protocol, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.everything import models, schemas
from toolaccord import Accepted, Cancelled, Declined, Root, Sampled, content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    AskAnswers,
    Completed,
    ContentTool,
    RemoteCompletion,
    RemotePrompt,
    RemoteResource,
    RemoteServer,
)

TEST_SIMPLE_TEXT: Final[ContentTool[models.TestSimpleTextRequest, Sequence[content.Text]]] = ContentTool(
    name="test_simple_text",
    request=models.TestSimpleTextRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_SIMPLE_TEXT_PARAMETERS,
    version="1.0.0",
)
"""Return a text."""

TEST_IMAGE_CONTENT: Final[ContentTool[models.TestImageContentRequest, Sequence[content.Image]]] = ContentTool(
    name="test_image_content",
    request=models.TestImageContentRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_IMAGE_CONTENT_PARAMETERS,
    version="1.0.0",
)
"""Return an image."""

TEST_AUDIO_CONTENT: Final[ContentTool[models.TestAudioContentRequest, Sequence[content.Audio]]] = ContentTool(
    name="test_audio_content",
    request=models.TestAudioContentRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_AUDIO_CONTENT_PARAMETERS,
    version="1.0.0",
)
"""Return a sound."""

TEST_EMBEDDED_RESOURCE: Final[ContentTool[models.TestEmbeddedResourceRequest, Sequence[content.EmbeddedResource]]] = (
    ContentTool(
        name="test_embedded_resource",
        request=models.TestEmbeddedResourceRequest,
        result=tuple,
        errors=(),
        timeout_s=5.0,
        nullable_arguments=False,
        parameters=schemas.TEST_EMBEDDED_RESOURCE_PARAMETERS,
        version="1.0.0",
    )
)
"""Return a resource with its content."""

TEST_MULTIPLE_CONTENT_TYPES: Final[
    ContentTool[
        models.TestMultipleContentTypesRequest, Sequence[content.Text | content.Image | content.EmbeddedResource]
    ]
] = ContentTool(
    name="test_multiple_content_types",
    request=models.TestMultipleContentTypesRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_MULTIPLE_CONTENT_TYPES_PARAMETERS,
    version="1.0.0",
)
"""Return a text, an image and a resource."""

TEST_TOOL_WITH_LOGGING: Final[ContentTool[models.TestToolWithLoggingRequest, Sequence[content.Text]]] = ContentTool(
    name="test_tool_with_logging",
    request=models.TestToolWithLoggingRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_TOOL_WITH_LOGGING_PARAMETERS,
    version="1.0.0",
)
"""Tell the client how the work goes."""

TEST_ERROR_HANDLING: Final[ContentTool[models.TestErrorHandlingRequest, Sequence[content.Text]]] = ContentTool(
    name="test_error_handling",
    request=models.TestErrorHandlingRequest,
    result=tuple,
    errors=(errors.OnPurpose,),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_ERROR_HANDLING_PARAMETERS,
    version="1.0.0",
)
"""Fail."""

TEST_TOOL_WITH_PROGRESS: Final[ContentTool[models.TestToolWithProgressRequest, Sequence[content.Text]]] = ContentTool(
    name="test_tool_with_progress",
    request=models.TestToolWithProgressRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_TOOL_WITH_PROGRESS_PARAMETERS,
    version="1.0.0",
)
"""Report progress."""

TEST_SAMPLING: Final[ContentTool[models.TestSamplingRequest, Sequence[content.Text]]] = ContentTool(
    name="test_sampling",
    request=models.TestSamplingRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_SAMPLING_PARAMETERS,
    version="1.0.0",
)
"""Let the caller's model continue a prompt."""

TEST_ELICITATION: Final[ContentTool[models.TestElicitationRequest, Sequence[content.Text]]] = ContentTool(
    name="test_elicitation",
    request=models.TestElicitationRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_ELICITATION_PARAMETERS,
    version="1.0.0",
)
"""Show a form with a message."""

TEST_ELICITATION_SEP1034_DEFAULTS: Final[
    ContentTool[models.TestElicitationSep1034DefaultsRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_elicitation_sep1034_defaults",
    request=models.TestElicitationSep1034DefaultsRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_ELICITATION_SEP1034_DEFAULTS_PARAMETERS,
    version="1.0.0",
)
"""Show a form with defaults."""

TEST_ELICITATION_SEP1330_ENUMS: Final[
    ContentTool[models.TestElicitationSep1330EnumsRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_elicitation_sep1330_enums",
    request=models.TestElicitationSep1330EnumsRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_ELICITATION_SEP1330_ENUMS_PARAMETERS,
    version="1.0.0",
)
"""Show a form with choices."""

TEST_LOGGING_TOOL: Final[ContentTool[models.TestLoggingToolRequest, Sequence[content.Text]]] = ContentTool(
    name="test_logging_tool",
    request=models.TestLoggingToolRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_LOGGING_TOOL_PARAMETERS,
    version="1.0.0",
)
"""Send a message that only some clients want."""

TEST_STREAMING_ELICITATION: Final[ContentTool[models.TestStreamingElicitationRequest, Sequence[content.Text]]] = (
    ContentTool(
        name="test_streaming_elicitation",
        request=models.TestStreamingElicitationRequest,
        result=tuple,
        errors=(),
        timeout_s=5.0,
        nullable_arguments=False,
        parameters=schemas.TEST_STREAMING_ELICITATION_PARAMETERS,
        version="1.0.0",
    )
)
"""Ask for a name, on no stream."""

TEST_MISSING_CAPABILITY: Final[ContentTool[models.TestMissingCapabilityRequest, Sequence[content.Text]]] = ContentTool(
    name="test_missing_capability",
    request=models.TestMissingCapabilityRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_MISSING_CAPABILITY_PARAMETERS,
    version="1.0.0",
)
"""Ask what only some clients can answer."""

TEST_INPUT_REQUIRED_RESULT_ELICITATION: Final[
    ContentTool[models.TestInputRequiredResultElicitationRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_elicitation",
    request=models.TestInputRequiredResultElicitationRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_ELICITATION_PARAMETERS,
    version="1.0.0",
)
"""Ask for a name."""

TEST_INPUT_REQUIRED_RESULT_SAMPLING: Final[
    ContentTool[models.TestInputRequiredResultSamplingRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_sampling",
    request=models.TestInputRequiredResultSamplingRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_SAMPLING_PARAMETERS,
    version="1.0.0",
)
"""Ask the caller's model."""

TEST_INPUT_REQUIRED_RESULT_LIST_ROOTS: Final[
    ContentTool[models.TestInputRequiredResultListRootsRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_list_roots",
    request=models.TestInputRequiredResultListRootsRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_LIST_ROOTS_PARAMETERS,
    version="1.0.0",
)
"""Ask for folders."""

TEST_INPUT_REQUIRED_RESULT_REQUEST_STATE: Final[
    ContentTool[models.TestInputRequiredResultRequestStateRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_request_state",
    request=models.TestInputRequiredResultRequestStateRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_REQUEST_STATE_PARAMETERS,
    version="1.0.0",
)
"""Ask for a confirmation."""

TEST_INPUT_REQUIRED_RESULT_MULTIPLE_INPUTS: Final[
    ContentTool[models.TestInputRequiredResultMultipleInputsRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_multiple_inputs",
    request=models.TestInputRequiredResultMultipleInputsRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_MULTIPLE_INPUTS_PARAMETERS,
    version="1.0.0",
)
"""Ask three things at once."""

TEST_INPUT_REQUIRED_RESULT_MULTI_ROUND: Final[
    ContentTool[models.TestInputRequiredResultMultiRoundRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_multi_round",
    request=models.TestInputRequiredResultMultiRoundRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_MULTI_ROUND_PARAMETERS,
    version="1.0.0",
)
"""Ask two things in turn."""

TEST_INPUT_REQUIRED_RESULT_TAMPERED_STATE: Final[
    ContentTool[models.TestInputRequiredResultTamperedStateRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_tampered_state",
    request=models.TestInputRequiredResultTamperedStateRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_TAMPERED_STATE_PARAMETERS,
    version="1.0.0",
)
"""Ask for a confirmation, and trust no other state."""

TEST_INPUT_REQUIRED_RESULT_CAPABILITIES: Final[
    ContentTool[models.TestInputRequiredResultCapabilitiesRequest, Sequence[content.Text]]
] = ContentTool(
    name="test_input_required_result_capabilities",
    request=models.TestInputRequiredResultCapabilitiesRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_INPUT_REQUIRED_RESULT_CAPABILITIES_PARAMETERS,
    version="1.0.0",
)
"""Ask what the client can answer."""

TEST_HEADER: Final[ContentTool[models.TestHeaderRequest, Sequence[content.Text]]] = ContentTool(
    name="test_header",
    request=models.TestHeaderRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TEST_HEADER_PARAMETERS,
    version="1.0.0",
)
"""Return an argument that a header carries, too."""

READ_STATIC_TEXT: Final = RemoteResource(
    name="resources/read static_text",
    address="test://static-text",
    result=str,
    errors=(),
    timeout_s=5.0,
)
"""A text."""

READ_STATIC_BINARY: Final = RemoteResource(
    name="resources/read static_binary",
    address="test://static-binary",
    result=bytes,
    errors=(),
    timeout_s=5.0,
)
"""An image."""

READ_WATCHED_RESOURCE: Final = RemoteResource(
    name="resources/read watched_resource",
    address="test://watched-resource",
    result=str,
    errors=(),
    timeout_s=5.0,
)
"""A text that clients watch."""

READ_TEMPLATE: Final = RemoteResource(
    name="resources/read template",
    address="test://template/{id}/data",
    result=models.ReadTemplateResult,
    errors=(),
    timeout_s=5.0,
)
"""Data of an id."""

PROMPT_TEST_SIMPLE_PROMPT: Final = RemotePrompt(
    name="prompts/get test_simple_prompt",
    prompt="test_simple_prompt",
    request=models.PromptTestSimplePromptRequest,
    errors=(),
    timeout_s=5.0,
)
"""A prompt without arguments."""

PROMPT_TEST_PROMPT_WITH_ARGUMENTS: Final = RemotePrompt(
    name="prompts/get test_prompt_with_arguments",
    prompt="test_prompt_with_arguments",
    request=models.PromptTestPromptWithArgumentsRequest,
    errors=(),
    timeout_s=5.0,
)
"""A prompt with two arguments."""

COMPLETE_TEST_PROMPT_WITH_ARGUMENTS_ARG1: Final = RemoteCompletion(
    name="completion/complete test_prompt_with_arguments arg1",
    prompt="test_prompt_with_arguments",
    member="arg1",
    errors=(),
    timeout_s=5.0,
)
"""Completion of arg1, an argument of the prompt test_prompt_with_arguments."""

PROMPT_TEST_PROMPT_WITH_EMBEDDED_RESOURCE: Final = RemotePrompt(
    name="prompts/get test_prompt_with_embedded_resource",
    prompt="test_prompt_with_embedded_resource",
    request=models.PromptTestPromptWithEmbeddedResourceRequest,
    errors=(),
    timeout_s=5.0,
)
"""A prompt with a resource that an argument names."""

PROMPT_TEST_PROMPT_WITH_IMAGE: Final = RemotePrompt(
    name="prompts/get test_prompt_with_image",
    prompt="test_prompt_with_image",
    request=models.PromptTestPromptWithImageRequest,
    errors=(),
    timeout_s=5.0,
)
"""A prompt with an image."""

PROMPT_TEST_INPUT_REQUIRED_RESULT_PROMPT: Final = RemotePrompt(
    name="prompts/get test_input_required_result_prompt",
    prompt="test_input_required_result_prompt",
    request=models.PromptTestInputRequiredResultPromptRequest,
    errors=(),
    timeout_s=5.0,
)
"""A prompt that asks for its context."""


class EverythingAnswers(Protocol):
    """Answers to the questions of the server; each takes the message."""

    async def user_message(self, message: str, /) -> Accepted[models.UserMessageAnswer] | Declined | Cancelled:
        """Show a message, and ask for a name and an address."""

    async def defaults(self, message: str, /) -> Accepted[models.DefaultsAnswer] | Declined | Cancelled:
        """Ask with a default for each type."""

    async def choices(self, message: str, /) -> Accepted[models.ChoicesAnswer] | Declined | Cancelled:
        """Ask with each kind of choice."""

    async def user_name(self, message: str, /) -> Accepted[models.UserNameAnswer] | Declined | Cancelled:
        """Ask for a name."""

    async def user_context(self, message: str, /) -> Accepted[models.UserContextAnswer] | Declined | Cancelled:
        """Ask for the context of a prompt."""

    async def confirm(self, message: str, /) -> Accepted[models.ConfirmAnswer] | Declined | Cancelled:
        """Ask for a confirmation."""

    async def step1(self, message: str, /) -> Accepted[models.Step1Answer] | Declined | Cancelled:
        """Ask for a name first."""

    async def step2(self, message: str, /) -> Accepted[models.Step2Answer] | Declined | Cancelled:
        """Ask for a colour then."""

    async def completion(self, message: str, /) -> Sampled | Declined:
        """Ask the caller's model to continue."""

    async def capital_question(self, message: str, /) -> Sampled | Declined:
        """Ask the caller's model for a capital."""

    async def greeting(self, message: str, /) -> Sampled | Declined:
        """Ask the caller's model for a greeting."""

    async def client_roots(self, /) -> tuple[Root, ...] | Declined:
        """Ask for the folders of the caller."""


def answer_asks(answers: EverythingAnswers) -> AskAnswers:
    """Return *answers* as the option `answers` of a client."""
    return AskAnswers(
        elicitation={
            "user_message": answers.user_message,
            "defaults": answers.defaults,
            "choices": answers.choices,
            "user_name": answers.user_name,
            "user_context": answers.user_context,
            "confirm": answers.confirm,
            "step1": answers.step1,
            "step2": answers.step2,
        },
        sampling={
            "completion": answers.completion,
            "capital_question": answers.capital_question,
            "greeting": answers.greeting,
        },
        roots={
            "client_roots": answers.client_roots,
        },
    )


class EverythingClient(ServerClient):
    """Client of everything.

    The tools, resources and prompts that the conformance suite requests by name.
    """

    _server: ClassVar = RemoteServer(
        name="everything",
        module="tests.toolaccord.generated.demo.everything",
        dialect=dialects.PLAIN,
    )

    async def test_simple_text(
        self, request: models.TestSimpleTextRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Return a text."""
        return (await self.call(TEST_SIMPLE_TEXT, request, **options)).result

    async def test_image_content(
        self, request: models.TestImageContentRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Image]:
        """Return an image."""
        return (await self.call(TEST_IMAGE_CONTENT, request, **options)).result

    async def test_audio_content(
        self, request: models.TestAudioContentRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Audio]:
        """Return a sound."""
        return (await self.call(TEST_AUDIO_CONTENT, request, **options)).result

    async def test_embedded_resource(
        self, request: models.TestEmbeddedResourceRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.EmbeddedResource]:
        """Return a resource with its content."""
        return (await self.call(TEST_EMBEDDED_RESOURCE, request, **options)).result

    async def test_multiple_content_types(
        self, request: models.TestMultipleContentTypesRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text | content.Image | content.EmbeddedResource]:
        """Return a text, an image and a resource."""
        return (await self.call(TEST_MULTIPLE_CONTENT_TYPES, request, **options)).result

    async def test_tool_with_logging(
        self, request: models.TestToolWithLoggingRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Tell the client how the work goes."""
        return (await self.call(TEST_TOOL_WITH_LOGGING, request, **options)).result

    async def test_error_handling(
        self, request: models.TestErrorHandlingRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Fail.

        May raise:
        * OnPurpose: The tool fails whenever it is called.
        """
        return (await self.call(TEST_ERROR_HANDLING, request, **options)).result

    async def test_tool_with_progress(
        self, request: models.TestToolWithProgressRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Report progress."""
        return (await self.call(TEST_TOOL_WITH_PROGRESS, request, **options)).result

    async def test_sampling(
        self, request: models.TestSamplingRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Let the caller's model continue a prompt."""
        return (await self.call(TEST_SAMPLING, request, **options)).result

    async def test_elicitation(
        self, request: models.TestElicitationRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Show a form with a message."""
        return (await self.call(TEST_ELICITATION, request, **options)).result

    async def test_elicitation_sep1034_defaults(
        self, request: models.TestElicitationSep1034DefaultsRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Show a form with defaults."""
        return (await self.call(TEST_ELICITATION_SEP1034_DEFAULTS, request, **options)).result

    async def test_elicitation_sep1330_enums(
        self, request: models.TestElicitationSep1330EnumsRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Show a form with choices."""
        return (await self.call(TEST_ELICITATION_SEP1330_ENUMS, request, **options)).result

    async def test_logging_tool(
        self, request: models.TestLoggingToolRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Send a message that only some clients want."""
        return (await self.call(TEST_LOGGING_TOOL, request, **options)).result

    async def test_streaming_elicitation(
        self, request: models.TestStreamingElicitationRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask for a name, on no stream."""
        return (await self.call(TEST_STREAMING_ELICITATION, request, **options)).result

    async def test_missing_capability(
        self, request: models.TestMissingCapabilityRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask what only some clients can answer."""
        return (await self.call(TEST_MISSING_CAPABILITY, request, **options)).result

    async def test_input_required_result_elicitation(
        self, request: models.TestInputRequiredResultElicitationRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask for a name."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_ELICITATION, request, **options)).result

    async def test_input_required_result_sampling(
        self, request: models.TestInputRequiredResultSamplingRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask the caller's model."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_SAMPLING, request, **options)).result

    async def test_input_required_result_list_roots(
        self, request: models.TestInputRequiredResultListRootsRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask for folders."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_LIST_ROOTS, request, **options)).result

    async def test_input_required_result_request_state(
        self, request: models.TestInputRequiredResultRequestStateRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask for a confirmation."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_REQUEST_STATE, request, **options)).result

    async def test_input_required_result_multiple_inputs(
        self, request: models.TestInputRequiredResultMultipleInputsRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask three things at once."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_MULTIPLE_INPUTS, request, **options)).result

    async def test_input_required_result_multi_round(
        self, request: models.TestInputRequiredResultMultiRoundRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask two things in turn."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_MULTI_ROUND, request, **options)).result

    async def test_input_required_result_tampered_state(
        self, request: models.TestInputRequiredResultTamperedStateRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask for a confirmation, and trust no other state."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_TAMPERED_STATE, request, **options)).result

    async def test_input_required_result_capabilities(
        self, request: models.TestInputRequiredResultCapabilitiesRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Ask what the client can answer."""
        return (await self.call(TEST_INPUT_REQUIRED_RESULT_CAPABILITIES, request, **options)).result

    async def test_header(
        self, request: models.TestHeaderRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Return an argument that a header carries, too."""
        return (await self.call(TEST_HEADER, request, **options)).result

    async def read_static_text(self, **options: Unpack[CallOptions]) -> str:
        """A text."""
        return (await self.read(READ_STATIC_TEXT, **options)).result

    async def read_static_binary(self, **options: Unpack[CallOptions]) -> bytes:
        """An image."""
        return (await self.read(READ_STATIC_BINARY, **options)).result

    async def read_watched_resource(self, **options: Unpack[CallOptions]) -> str:
        """A text that clients watch."""
        return (await self.read(READ_WATCHED_RESOURCE, **options)).result

    async def read_template(
        self, request: models.ReadTemplateRequest, **options: Unpack[CallOptions]
    ) -> models.ReadTemplateResult:
        """Data of an id."""
        return (await self.read(READ_TEMPLATE, request, **options)).result

    async def prompt_test_simple_prompt(self, **options: Unpack[CallOptions]) -> tuple[content.Message, ...]:
        """A prompt without arguments."""
        return (await self.get_prompt(PROMPT_TEST_SIMPLE_PROMPT, **options)).result

    async def prompt_test_prompt_with_arguments(
        self, request: models.PromptTestPromptWithArgumentsRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """A prompt with two arguments."""
        return (await self.get_prompt(PROMPT_TEST_PROMPT_WITH_ARGUMENTS, request, **options)).result

    async def complete_test_prompt_with_arguments_arg1(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of arg1, an argument of the prompt test_prompt_with_arguments, that ...

        Return values of arg1, an argument of the prompt test_prompt_with_arguments, that complete *prefix*.
        """
        return (await self.complete(COMPLETE_TEST_PROMPT_WITH_ARGUMENTS_ARG1, prefix, **options)).result

    async def prompt_test_prompt_with_embedded_resource(
        self, request: models.PromptTestPromptWithEmbeddedResourceRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """A prompt with a resource that an argument names."""
        return (await self.get_prompt(PROMPT_TEST_PROMPT_WITH_EMBEDDED_RESOURCE, request, **options)).result

    async def prompt_test_prompt_with_image(self, **options: Unpack[CallOptions]) -> tuple[content.Message, ...]:
        """A prompt with an image."""
        return (await self.get_prompt(PROMPT_TEST_PROMPT_WITH_IMAGE, **options)).result

    async def prompt_test_input_required_result_prompt(
        self, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """A prompt that asks for its context."""
        return (await self.get_prompt(PROMPT_TEST_INPUT_REQUIRED_RESULT_PROMPT, **options)).result
