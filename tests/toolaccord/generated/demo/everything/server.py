"""Declaration of everything.

The tools, resources and prompts that the conformance suite requests by name.

Generated from tests/toolaccord/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.everything import models, schemas
from tests.toolaccord.generated.dialects import PLAIN
from toolaccord import (
    Accepted,
    Cancelled,
    ClientLog,
    Declined,
    Progress,
    Root,
    Sampled,
    content,
)
from toolaccord.declarations.asks import Elicitation, Roots, Sampling
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.prompts import ImageMessage, Prompt, TextMessage
from toolaccord.declarations.resources import (
    Completion,
    Read,
    Resource,
    StaticFile,
    StaticText,
)
from toolaccord.declarations.tool import NO_RESULT, Server, Tool
from toolaccord.semantics.policies import CacheHint


@dataclass(frozen=True, slots=True)
class EverythingChanges:
    """Reports changes of resources of everything to the clients that subscribed."""

    _report: Callable[[str], None]

    def watched_resource(self) -> None:
        """Report that the content of test://watched-resource has changed."""
        self._report("test://watched-resource")


class EverythingAsks(Protocol):
    """Questions to the caller of a tool.

    A handler may run again from its start to get an answer. So it asks first, and writes after the last answer.
    """

    def supports(
        self,
        *names: Literal[
            "user_message",
            "defaults",
            "choices",
            "user_name",
            "user_context",
            "confirm",
            "step1",
            "step2",
            "completion",
            "capital_question",
            "greeting",
            "client_roots",
        ],
    ) -> bool:
        """Return whether the caller can be asked each of *names*."""

    async def user_message(self, *, message: str) -> Accepted[models.UserMessageAnswer] | Declined | Cancelled:
        """Show a message, and ask for a name and an address."""

    async def defaults(self) -> Accepted[models.DefaultsAnswer] | Declined | Cancelled:
        """Ask with a default for each type."""

    async def choices(self) -> Accepted[models.ChoicesAnswer] | Declined | Cancelled:
        """Ask with each kind of choice."""

    async def user_name(self) -> Accepted[models.UserNameAnswer] | Declined | Cancelled:
        """Ask for a name."""

    async def user_context(self) -> Accepted[models.UserContextAnswer] | Declined | Cancelled:
        """Ask for the context of a prompt."""

    async def confirm(self) -> Accepted[models.ConfirmAnswer] | Declined | Cancelled:
        """Ask for a confirmation."""

    async def step1(self) -> Accepted[models.Step1Answer] | Declined | Cancelled:
        """Ask for a name first."""

    async def step2(self) -> Accepted[models.Step2Answer] | Declined | Cancelled:
        """Ask for a colour then."""

    async def completion(self, *, prompt: str) -> Sampled | Declined:
        """Ask the caller's model to continue."""

    async def capital_question(self) -> Sampled | Declined:
        """Ask the caller's model for a capital."""

    async def greeting(self) -> Sampled | Declined:
        """Ask the caller's model for a greeting."""

    async def client_roots(self) -> tuple[Root, ...] | Declined:
        """Ask for the folders of the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EverythingCall:
    """Sources, settings and time that a handler of everything gets with a request."""

    now: datetime
    """Time of the call, in UTC."""
    progress: Progress
    """Sends progress to a caller that wants it, in tools whose contract declares progress."""
    log: ClientLog
    """Sends log messages to the client, in tools whose contract declares logging."""
    changed: EverythingChanges
    """Reports changes of resources to the clients that subscribed."""
    ask: EverythingAsks
    """Asks the caller, in tools whose contract declares the ask."""


class Handlers(Protocol):
    """Coroutines of tools, resources and prompts, implemented in ...

    Coroutines of tools, resources and prompts, implemented in `tests.toolaccord.demo.everything`.
    """

    async def test_simple_text(
        self, request: models.TestSimpleTextRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Return a text."""

    async def test_image_content(
        self, request: models.TestImageContentRequest, call: EverythingCall, /
    ) -> Sequence[content.Image]:
        """Return an image."""

    async def test_audio_content(
        self, request: models.TestAudioContentRequest, call: EverythingCall, /
    ) -> Sequence[content.Audio]:
        """Return a sound."""

    async def test_embedded_resource(
        self, request: models.TestEmbeddedResourceRequest, call: EverythingCall, /
    ) -> Sequence[content.EmbeddedResource]:
        """Return a resource with its content."""

    async def test_multiple_content_types(
        self, request: models.TestMultipleContentTypesRequest, call: EverythingCall, /
    ) -> Sequence[content.Text | content.Image | content.EmbeddedResource]:
        """Return a text, an image and a resource."""

    async def test_tool_with_logging(
        self, request: models.TestToolWithLoggingRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Tell the client how the work goes."""

    async def test_error_handling(
        self, request: models.TestErrorHandlingRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Fail."""

    async def test_tool_with_progress(
        self, request: models.TestToolWithProgressRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Report progress."""

    async def test_sampling(
        self, request: models.TestSamplingRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Let the caller's model continue a prompt."""

    async def test_elicitation(
        self, request: models.TestElicitationRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Show a form with a message."""

    async def test_elicitation_sep1034_defaults(
        self, request: models.TestElicitationSep1034DefaultsRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Show a form with defaults."""

    async def test_elicitation_sep1330_enums(
        self, request: models.TestElicitationSep1330EnumsRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Show a form with choices."""

    async def test_logging_tool(
        self, request: models.TestLoggingToolRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Send a message that only some clients want."""

    async def test_streaming_elicitation(
        self, request: models.TestStreamingElicitationRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask for a name, on no stream."""

    async def test_missing_capability(
        self, request: models.TestMissingCapabilityRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask what only some clients can answer."""

    async def test_input_required_result_elicitation(
        self, request: models.TestInputRequiredResultElicitationRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask for a name."""

    async def test_input_required_result_sampling(
        self, request: models.TestInputRequiredResultSamplingRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask the caller's model."""

    async def test_input_required_result_list_roots(
        self, request: models.TestInputRequiredResultListRootsRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask for folders."""

    async def test_input_required_result_request_state(
        self, request: models.TestInputRequiredResultRequestStateRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask for a confirmation."""

    async def test_input_required_result_multiple_inputs(
        self, request: models.TestInputRequiredResultMultipleInputsRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask three things at once."""

    async def test_input_required_result_multi_round(
        self, request: models.TestInputRequiredResultMultiRoundRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask two things in turn."""

    async def test_input_required_result_tampered_state(
        self, request: models.TestInputRequiredResultTamperedStateRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask for a confirmation, and trust no other state."""

    async def test_input_required_result_capabilities(
        self, request: models.TestInputRequiredResultCapabilitiesRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Ask what the client can answer."""

    async def test_header(self, request: models.TestHeaderRequest, call: EverythingCall, /) -> Sequence[content.Text]:
        """Return an argument that a header carries, too."""

    async def read_watched_resource(self, request: models.ReadWatchedResourceRequest, call: EverythingCall, /) -> str:
        """A text that clients watch."""

    async def read_template(
        self, request: models.ReadTemplateRequest, call: EverythingCall, /
    ) -> models.ReadTemplateResult:
        """Data of an id."""

    async def complete_test_prompt_with_arguments_arg1(self, prefix: str, call: EverythingCall, /) -> Sequence[str]:
        """Return values of arg1, an argument of the prompt test_prompt_with_arguments, that ...

        Return values of arg1, an argument of the prompt test_prompt_with_arguments, that complete *prefix*.
        """

    async def prompt_test_prompt_with_embedded_resource(
        self, request: models.PromptTestPromptWithEmbeddedResourceRequest, call: EverythingCall, /
    ) -> Sequence[content.Message]:
        """A prompt with a resource that an argument names."""

    async def prompt_test_input_required_result_prompt(
        self, request: models.PromptTestInputRequiredResultPromptRequest, call: EverythingCall, /
    ) -> Sequence[content.Message]:
        """A prompt that asks for its context."""


def server(handlers: Handlers) -> Server[EverythingCall]:
    """Bind the tools of everything to *handlers*."""
    return Server(
        name="everything",
        title="Everything",
        version="1.0.0",
        description="The tools, resources and prompts that the conformance suite requests by name.",
        instructions=None,
        dialect=PLAIN,
        settings=(),
        sources=(),
        sessions=True,
        resources=(
            Resource(
                name="static_text",
                title=None,
                description="A text.",
                uri="test://static-text",
                mime_type="text/plain",
                kind="text",
                content=StaticText("This is the content of the static text resource."),
                cache=CacheHint(ttl_s=60, scope="public"),
            ),
            Resource(
                name="static_binary",
                title=None,
                description="An image.",
                uri="test://static-binary",
                mime_type="image/png",
                kind="binary",
                content=StaticFile("tests.toolaccord.generated.demo.everything", "static_binary.base64"),
            ),
            Resource(
                name="watched_resource",
                title=None,
                description="A text that clients watch.",
                uri="test://watched-resource",
                mime_type="text/plain",
                kind="text",
                content=Read(
                    sources=(),
                    request=models.ReadWatchedResourceRequest,
                    parameters=schemas.READ_WATCHED_RESOURCE_PARAMETERS,
                    timeout_ms=5000,
                    handler=handlers.read_watched_resource,
                ),
                subscribe=True,
            ),
            Resource(
                name="template",
                title=None,
                description="Data of an id.",
                uri_template="test://template/{id}/data",
                mime_type="application/json",
                kind="json",
                content=Read(
                    sources=(),
                    request=models.ReadTemplateRequest,
                    parameters=schemas.READ_TEMPLATE_PARAMETERS,
                    returns=schemas.READ_TEMPLATE_RETURNS,
                    nullable_results=False,
                    timeout_ms=5000,
                    handler=handlers.read_template,
                ),
            ),
        ),
        prompts=(
            Prompt(
                name="test_simple_prompt",
                title=None,
                description="A prompt without arguments.",
                request=models.PromptTestSimplePromptRequest,
                parameters=schemas.PROMPT_TEST_SIMPLE_PROMPT_PARAMETERS,
                messages=(TextMessage("user", "This is a simple prompt for testing."),),
                timeout_ms=5000,
            ),
            Prompt(
                name="test_prompt_with_arguments",
                title="Prompt with arguments",
                description="A prompt with two arguments.",
                request=models.PromptTestPromptWithArgumentsRequest,
                parameters=schemas.PROMPT_TEST_PROMPT_WITH_ARGUMENTS_PARAMETERS,
                messages=(TextMessage("user", "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"),),
                timeout_ms=5000,
                completions=(Completion(member="arg1", handler=handlers.complete_test_prompt_with_arguments_arg1),),
            ),
            Prompt(
                name="test_prompt_with_embedded_resource",
                title=None,
                description="A prompt with a resource that an argument names.",
                request=models.PromptTestPromptWithEmbeddedResourceRequest,
                parameters=schemas.PROMPT_TEST_PROMPT_WITH_EMBEDDED_RESOURCE_PARAMETERS,
                handler=handlers.prompt_test_prompt_with_embedded_resource,
                sources=(),
                timeout_ms=5000,
            ),
            Prompt(
                name="test_prompt_with_image",
                title=None,
                description="A prompt with an image.",
                request=models.PromptTestPromptWithImageRequest,
                parameters=schemas.PROMPT_TEST_PROMPT_WITH_IMAGE_PARAMETERS,
                messages=(
                    ImageMessage(
                        "user",
                        StaticFile(
                            "tests.toolaccord.generated.demo.everything", "prompt.test_prompt_with_image.0.base64"
                        ),
                        "image/png",
                    ),
                    TextMessage("user", "Please analyze the image above."),
                ),
                timeout_ms=5000,
            ),
            Prompt(
                name="test_input_required_result_prompt",
                title=None,
                description="A prompt that asks for its context.",
                request=models.PromptTestInputRequiredResultPromptRequest,
                parameters=schemas.PROMPT_TEST_INPUT_REQUIRED_RESULT_PROMPT_PARAMETERS,
                handler=handlers.prompt_test_input_required_result_prompt,
                sources=(),
                asks=("user_context",),
                timeout_ms=5000,
            ),
        ),
        changes=EverythingChanges,
        asks=(
            Elicitation(
                name="user_message",
                message="{message}",
                schema=schemas.USER_MESSAGE_FORM,
                answer=models.UserMessageAnswer,
            ),
            Elicitation(
                name="defaults",
                message="Please confirm your details",
                schema=schemas.DEFAULTS_FORM,
                answer=models.DefaultsAnswer,
            ),
            Elicitation(
                name="choices", message="Please choose", schema=schemas.CHOICES_FORM, answer=models.ChoicesAnswer
            ),
            Elicitation(
                name="user_name",
                message="What is your name?",
                schema=schemas.USER_NAME_FORM,
                answer=models.UserNameAnswer,
            ),
            Elicitation(
                name="user_context",
                message="What context should the prompt use?",
                schema=schemas.USER_CONTEXT_FORM,
                answer=models.UserContextAnswer,
            ),
            Elicitation(
                name="confirm", message="Please confirm", schema=schemas.CONFIRM_FORM, answer=models.ConfirmAnswer
            ),
            Elicitation(
                name="step1", message="Step 1: What is your name?", schema=schemas.STEP1_FORM, answer=models.Step1Answer
            ),
            Elicitation(
                name="step2",
                message="Step 2: What is your favorite color?",
                schema=schemas.STEP2_FORM,
                answer=models.Step2Answer,
            ),
            Sampling(name="completion", message="{prompt}", system_prompt=None, max_tokens=100),
            Sampling(
                name="capital_question", message="What is the capital of France?", system_prompt=None, max_tokens=100
            ),
            Sampling(name="greeting", message="Generate a greeting", system_prompt=None, max_tokens=50),
            Roots(name="client_roots"),
        ),
        call=EverythingCall,
        handler_settings=None,
        tools=(
            Tool(
                name="test_simple_text",
                title=None,
                version="1.0.0",
                description="Return a text",
                reads=(),
                writes=(),
                request=models.TestSimpleTextRequest,
                parameters=schemas.TEST_SIMPLE_TEXT_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_simple_text,
            ),
            Tool(
                name="test_image_content",
                title=None,
                version="1.0.0",
                description="Return an image",
                reads=(),
                writes=(),
                request=models.TestImageContentRequest,
                parameters=schemas.TEST_IMAGE_CONTENT_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("image/png",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_image_content,
            ),
            Tool(
                name="test_audio_content",
                title=None,
                version="1.0.0",
                description="Return a sound",
                reads=(),
                writes=(),
                request=models.TestAudioContentRequest,
                parameters=schemas.TEST_AUDIO_CONTENT_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("audio/wav",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_audio_content,
            ),
            Tool(
                name="test_embedded_resource",
                title=None,
                version="1.0.0",
                description="Return a resource with its content",
                reads=(),
                writes=(),
                request=models.TestEmbeddedResourceRequest,
                parameters=schemas.TEST_EMBEDDED_RESOURCE_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("resource",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_embedded_resource,
            ),
            Tool(
                name="test_multiple_content_types",
                title=None,
                version="1.0.0",
                description="Return a text, an image and a resource",
                reads=(),
                writes=(),
                request=models.TestMultipleContentTypesRequest,
                parameters=schemas.TEST_MULTIPLE_CONTENT_TYPES_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text", "image/png", "resource"),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_multiple_content_types,
            ),
            Tool(
                name="test_tool_with_logging",
                title=None,
                version="1.0.0",
                description="Tell the client how the work goes",
                reads=(),
                writes=(),
                request=models.TestToolWithLoggingRequest,
                parameters=schemas.TEST_TOOL_WITH_LOGGING_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                logging=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_tool_with_logging,
            ),
            Tool(
                name="test_error_handling",
                title=None,
                version="1.0.0",
                description="Fail",
                reads=(),
                writes=(),
                request=models.TestErrorHandlingRequest,
                parameters=schemas.TEST_ERROR_HANDLING_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(DeclaredError(errors.OnPurpose),),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_error_handling,
            ),
            Tool(
                name="test_tool_with_progress",
                title=None,
                version="1.0.0",
                description="Report progress",
                reads=(),
                writes=(),
                request=models.TestToolWithProgressRequest,
                parameters=schemas.TEST_TOOL_WITH_PROGRESS_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                progress=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_tool_with_progress,
            ),
            Tool(
                name="test_sampling",
                title=None,
                version="1.0.0",
                description="Let the caller's model continue a prompt",
                reads=(),
                writes=(),
                request=models.TestSamplingRequest,
                parameters=schemas.TEST_SAMPLING_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("completion",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_sampling,
            ),
            Tool(
                name="test_elicitation",
                title=None,
                version="1.0.0",
                description="Show a form with a message",
                reads=(),
                writes=(),
                request=models.TestElicitationRequest,
                parameters=schemas.TEST_ELICITATION_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("user_message",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_elicitation,
            ),
            Tool(
                name="test_elicitation_sep1034_defaults",
                title=None,
                version="1.0.0",
                description="Show a form with defaults",
                reads=(),
                writes=(),
                request=models.TestElicitationSep1034DefaultsRequest,
                parameters=schemas.TEST_ELICITATION_SEP1034_DEFAULTS_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("defaults",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_elicitation_sep1034_defaults,
            ),
            Tool(
                name="test_elicitation_sep1330_enums",
                title=None,
                version="1.0.0",
                description="Show a form with choices",
                reads=(),
                writes=(),
                request=models.TestElicitationSep1330EnumsRequest,
                parameters=schemas.TEST_ELICITATION_SEP1330_ENUMS_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("choices",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_elicitation_sep1330_enums,
            ),
            Tool(
                name="test_logging_tool",
                title=None,
                version="1.0.0",
                description="Send a message that only some clients want",
                reads=(),
                writes=(),
                request=models.TestLoggingToolRequest,
                parameters=schemas.TEST_LOGGING_TOOL_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                logging=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_logging_tool,
            ),
            Tool(
                name="test_streaming_elicitation",
                title=None,
                version="1.0.0",
                description="Ask for a name, on no stream",
                reads=(),
                writes=(),
                request=models.TestStreamingElicitationRequest,
                parameters=schemas.TEST_STREAMING_ELICITATION_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("user_name",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_streaming_elicitation,
            ),
            Tool(
                name="test_missing_capability",
                title=None,
                version="1.0.0",
                description="Ask what only some clients can answer",
                reads=(),
                writes=(),
                request=models.TestMissingCapabilityRequest,
                parameters=schemas.TEST_MISSING_CAPABILITY_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("capital_question",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_missing_capability,
            ),
            Tool(
                name="test_input_required_result_elicitation",
                title=None,
                version="1.0.0",
                description="Ask for a name",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultElicitationRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_ELICITATION_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("user_name",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_elicitation,
            ),
            Tool(
                name="test_input_required_result_sampling",
                title=None,
                version="1.0.0",
                description="Ask the caller's model",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultSamplingRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_SAMPLING_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("capital_question",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_sampling,
            ),
            Tool(
                name="test_input_required_result_list_roots",
                title=None,
                version="1.0.0",
                description="Ask for folders",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultListRootsRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_LIST_ROOTS_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("client_roots",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_list_roots,
            ),
            Tool(
                name="test_input_required_result_request_state",
                title=None,
                version="1.0.0",
                description="Ask for a confirmation",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultRequestStateRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_REQUEST_STATE_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("confirm",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_request_state,
            ),
            Tool(
                name="test_input_required_result_multiple_inputs",
                title=None,
                version="1.0.0",
                description="Ask three things at once",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultMultipleInputsRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_MULTIPLE_INPUTS_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("user_name", "greeting", "client_roots"),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_multiple_inputs,
            ),
            Tool(
                name="test_input_required_result_multi_round",
                title=None,
                version="1.0.0",
                description="Ask two things in turn",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultMultiRoundRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_MULTI_ROUND_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("step1", "step2"),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_multi_round,
            ),
            Tool(
                name="test_input_required_result_tampered_state",
                title=None,
                version="1.0.0",
                description="Ask for a confirmation, and trust no other state",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultTamperedStateRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_TAMPERED_STATE_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("confirm",),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_tampered_state,
            ),
            Tool(
                name="test_input_required_result_capabilities",
                title=None,
                version="1.0.0",
                description="Ask what the client can answer",
                reads=(),
                writes=(),
                request=models.TestInputRequiredResultCapabilitiesRequest,
                parameters=schemas.TEST_INPUT_REQUIRED_RESULT_CAPABILITIES_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                asks=("user_name", "greeting"),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_input_required_result_capabilities,
            ),
            Tool(
                name="test_header",
                title=None,
                version="1.0.0",
                description="Return an argument that a header carries, too",
                reads=(),
                writes=(),
                request=models.TestHeaderRequest,
                parameters=schemas.TEST_HEADER_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_header,
            ),
        ),
    )
