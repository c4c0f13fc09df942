"""Declare the tools that the conformance suite calls by name, as a contract with handlers."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRACT = """{
  "contract": 1,
  "server": {
    "name": "everything",
    "title": "Everything",
    "version": "1.0.0",
    "description": "The tools that the conformance suite calls by name."
  },
  "dialect": "plain",
  "tools": [
    {
      "name": "test_simple_text",
      "version": "1.0.0",
      "description": "Answer a text",
      "effects": {},
      "parameters": {"type": "object", "properties": {}, "additionalProperties": false},
      "returns": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": false
      },
      "errors": [],
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {}, "returns": {"text": "This is a simple text response for testing."}}]
    },
    {
      "name": "test_error_handling",
      "version": "1.0.0",
      "description": "Answer an error",
      "effects": {},
      "parameters": {"type": "object", "properties": {}, "additionalProperties": false},
      "returns": {"type": "object", "properties": {}, "additionalProperties": false},
      "errors": [{"code": "ON_PURPOSE", "description": "The tool fails whenever it is called", "http": 422}],
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {}, "returns": {}}]
    },
    {
      "name": "test_logging_tool",
      "version": "1.0.0",
      "description": "Answer, and tell the client nothing beside it",
      "effects": {},
      "parameters": {"type": "object", "properties": {}, "additionalProperties": false},
      "returns": {"type": "object", "properties": {}, "additionalProperties": false},
      "errors": [],
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {}, "returns": {}}]
    },
    {
      "name": "test_streaming_elicitation",
      "version": "1.0.0",
      "description": "Answer, and ask the client nothing beside it",
      "effects": {},
      "parameters": {"type": "object", "properties": {}, "additionalProperties": false},
      "returns": {"type": "object", "properties": {}, "additionalProperties": false},
      "errors": [],
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {}, "returns": {}}]
    },
    {
      "name": "test_tool_with_progress",
      "version": "1.0.0",
      "description": "Answer, and tell the client beforehand how far it is",
      "effects": {},
      "parameters": {"type": "object", "properties": {}, "additionalProperties": false},
      "returns": {"type": "object", "properties": {}, "additionalProperties": false},
      "errors": [],
      "deadline": {"timeout_ms": 5000},
      "progress": true,
      "examples": [{"arguments": {}, "returns": {}}]
    },
    {
      "name": "test_header",
      "version": "1.0.0",
      "description": "Answer an argument that a header carries too",
      "effects": {},
      "parameters": {
        "type": "object",
        "properties": {"region": {"type": "string", "maxLength": 100, "x-mcp-header": "Region"}},
        "required": ["region"],
        "additionalProperties": false
      },
      "returns": {
        "type": "object",
        "properties": {"region": {"type": "string"}},
        "required": ["region"],
        "additionalProperties": false
      },
      "errors": [],
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {"region": "eu"}, "returns": {"region": "eu"}}]
    }
  ]
}
"""
HANDLERS = '''"""What the conformance suite calls."""

from suite.fixtures.errors import OnPurpose
from suite.fixtures.everything.models import (
    TestErrorHandlingRequest,
    TestErrorHandlingResult,
    TestHeaderRequest,
    TestHeaderResult,
    TestLoggingToolRequest,
    TestLoggingToolResult,
    TestSimpleTextRequest,
    TestSimpleTextResult,
    TestStreamingElicitationRequest,
    TestStreamingElicitationResult,
    TestToolWithProgressRequest,
    TestToolWithProgressResult,
)
from suite.fixtures.everything.server import EverythingCall


async def test_simple_text(_request: TestSimpleTextRequest, _call: EverythingCall) -> TestSimpleTextResult:
    """Answer a text."""
    return TestSimpleTextResult(text="This is a simple text response for testing.")


async def test_error_handling(_request: TestErrorHandlingRequest, _call: EverythingCall) -> TestErrorHandlingResult:
    """Answer an error."""
    raise OnPurpose("This tool intentionally returns an error for testing")


async def test_logging_tool(_request: TestLoggingToolRequest, _call: EverythingCall) -> TestLoggingToolResult:
    """Answer, and tell the client nothing beside it."""
    return TestLoggingToolResult()


async def test_streaming_elicitation(
    _request: TestStreamingElicitationRequest, _call: EverythingCall
) -> TestStreamingElicitationResult:
    """Answer, and ask the client nothing beside it."""
    return TestStreamingElicitationResult()


async def test_tool_with_progress(_request: TestToolWithProgressRequest, call: EverythingCall) -> TestToolWithProgressResult:
    """Answer, and tell the client beforehand how far it is."""
    for done in (0, 50, 100):
        await call.progress(done, 100)
    return TestToolWithProgressResult()


async def test_header(request: TestHeaderRequest, _call: EverythingCall) -> TestHeaderResult:
    """Answer an argument that a header carries too."""
    return TestHeaderResult(region=request.region)
'''


def write(folder: Path) -> None:
    """Write a project of the tools into *folder*: contracts, handlers and the package `suite`."""
    files = {
        "contracts/fixtures/everything.json": CONTRACT,
        "suite_handlers/__init__.py": "",
        "suite_handlers/fixtures/__init__.py": "",
        "suite_handlers/fixtures/everything.py": HANDLERS,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    generate = ("generate", "--package", "suite", "--handlers", "suite_handlers")
    subprocess.run(
        [sys.executable, "-m", "codegen", *generate], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True
    )
