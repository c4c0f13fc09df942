"""Translation between messages of A2A and the requests and results of an agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from a2a.types import Message, Part, Role, Task, TaskState
from a2a.utils.errors import ContentTypeNotSupportedError, InvalidParamsError
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value

from toolaccord.agent.declarations import Agent
from toolaccord.json_values import JsonObject

_JSON = "application/json"
_TEXT = "text/plain"


class MessageFormat:
    """Format of the messages to one agent.

    A data part is a whole request, or a whole result. Agents that take a conversation, in `input.messages` with `role`
    and `content`, also take texts. Results with `output.text` also have a text part.
    """

    def __init__(self, agent: Agent[Any, Any, Any]) -> None:
        message = _find(agent.input, "properties", "input", "properties", "messages", "items", "properties")
        self._takes_texts = {"role", "content"} <= (message or {}).keys()
        self._max_characters = _find(message, "content", "maxLength")

    @property
    def media_types(self) -> list[str]:
        """Media types of parts."""
        return [_TEXT, _JSON] if self._takes_texts else [_JSON]

    def read_request(self, message: Message, earlier: Sequence[JsonObject] = ()) -> Any:
        """Return the request in *message*; the *earlier* messages precede its texts.

        Raises InvalidParamsError and ContentTypeNotSupportedError.
        """
        if message.role != Role.ROLE_USER:
            raise InvalidParamsError("The role of a message to an agent is ROLE_USER.")
        if any(not part.HasField("text") and not part.HasField("data") for part in message.parts):
            raise ContentTypeNotSupportedError(f"Parts are {' or '.join(self.media_types)}, never files.")
        data = [part.data for part in message.parts if part.HasField("data")]
        if len(data) == 1:
            return MessageToDict(data[0])
        text = _join_texts(message.parts)
        if data or not self._takes_texts or not text:
            alternative = ", or text parts alone" if self._takes_texts else ""
            raise InvalidParamsError(f"Send one data part with the request{alternative}.")
        content: JsonObject = {"messages": [*earlier, {"role": "user", "content": text}]}
        if message.HasField("metadata"):
            content["metadata"] = MessageToDict(message.metadata)
        return {"input": content}

    def list_earlier(self, tasks: Iterable[Task]) -> list[JsonObject]:
        """Return the messages of completed *tasks*: questions in words, and answers."""
        messages: list[JsonObject] = []
        for task in tasks:
            if task.status.state == TaskState.TASK_STATE_COMPLETED and self._takes_texts:
                question = "\n".join(_join_texts(each.parts) for each in task.history if each.role == Role.ROLE_USER)
                answer = "\n".join(_join_texts(each.parts) for each in task.artifacts)
                messages += [self._cut("user", question), self._cut("assistant", answer)]
        return [each for each in messages if each["content"]]

    def write_parts(self, result: JsonObject) -> list[Part]:
        """Return the parts of a *result*."""
        text = _find(result, "output", "text")
        texts = [Part(text=text, media_type=_TEXT)] if isinstance(text, str) else []
        return [*texts, write_data(result)]

    def _cut(self, role: str, content: str) -> JsonObject:
        return {"role": role, "content": content[: self._max_characters]}


def write_data(document: JsonObject) -> Part:
    """Return a data part; its numbers are floating-point numbers."""
    return Part(data=ParseDict(document, Value()), media_type=_JSON)


def _join_texts(parts: Iterable[Part]) -> str:
    return "\n".join(part.text for part in parts if part.HasField("text"))


def _find(document: Any, *names: str) -> Any:
    """Return the member of *document* at the path of *names*; None without one."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document
