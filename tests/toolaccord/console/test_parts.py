"""The console's modules in a browser, without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from tests.services.browser import open_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIBRARY = Path(__file__).parents[3] / "toolaccord"
ORIGIN = "http://127.0.0.1"
PATIENCE_S = 30
TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}
BLANK = '<!doctype html><title>Parts</title><link rel="icon" href="data:,"><main id="main"></main><p id="live"></p>'
CALLING_VIEW = """<!doctype html><script>
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", ({ data }) => {
    if (data.id === 1) post({ id: 2, method: "tools/call", params: { name: "wait", arguments: {} } });
  });
  post({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26" } });
</script>"""
"""A view that calls a tool."""
TOOL = {
    "name": "wait",
    "description": "Waits. " * 60,
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "properties": {"how": {"type": "string"}}},
}


def _answer(address: str) -> dict[str, Any] | None:
    """Give a file of the console or of views."""
    path = urlsplit(address).path
    if path == "/blank":
        return {"body": BLANK, "content_type": "text/html"}
    file = LIBRARY / ("console/console.html" if path == "/" else path[1:])
    return {"body": file.read_text(encoding="utf-8"), "content_type": TYPES[file.suffix]} if file.is_file() else None


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page without content, which may load modules of the console."""
    async with open_page(browser, _answer) as page:
        await page.goto(f"{ORIGIN}/blank")
        yield page


class Double:
    """A server that answers methods as it is told, and holds requests of others."""

    def __init__(self, page: Page, *held: str) -> None:
        self.page = page
        self.held = {*held}
        self.asked: list[str] = []
        self._waiting: asyncio.Queue[Route] = asyncio.Queue()
        self.results: dict[str, Any] = {
            "server/discover": {"capabilities": {}, "serverInfo": {"name": "double"}},
            "tools/list": {"tools": [TOOL]},
            "tools/call": {"content": [], "structuredContent": {"answer": "first"}},
            "resources/read": {"contents": [{"text": CALLING_VIEW}]},
        }

    async def open(self, fragment: str) -> None:
        """Open the console, whose server this is."""
        await self.page.route("**/mcp", self._answer)
        await self.page.route("**/openapi.json", lambda route: route.fulfill(json={"paths": {}}))
        await self.page.goto(f"{ORIGIN}/{fragment}")

    async def next_held(self) -> Route:
        """Wait for a request that is held."""
        return await asyncio.wait_for(self._waiting.get(), PATIENCE_S)

    async def give(self, route: Route) -> None:
        message = json.loads(route.request.post_data or "")
        result = self.results[message["method"]]
        await route.fulfill(json={"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def _answer(self, route: Route) -> None:
        method = json.loads(route.request.post_data or "")["method"]
        self.asked.append(method)
        if method in self.held:
            self._waiting.put_nowait(route)
        else:
            await self.give(route)

    async def leave(self) -> None:
        """Show another page, which asks the server for nothing."""
        await self.page.evaluate("location.hash = '#/tasks'")
        await expect(self.page.get_by_role("heading", name="Tasks")).to_be_visible()


async def test_attributes_are_those_of_html(page: Page) -> None:
    await Double(page).open("#/tools/wait")
    await expect(page.locator("button.primary")).to_have_text("Call")
    await expect(page.locator("details.card")).to_have_count(1)
    assert await page.evaluate("document.querySelectorAll('[classname]').length") == 0


async def test_no_page_has_the_name_of_a_prototypes_member(page: Page) -> None:
    await Double(page).open("#/constructor")
    await expect(page.locator("h1")).to_have_text("double")


async def test_the_field_for_a_token_is_spelled_and_completed_by_nobody(page: Page) -> None:
    await page.evaluate("""async () => {
      const { askForToken } = await import("/console/parts/token_dialog.js");
      askForToken("", false).catch(() => {});
    }""")
    field = page.get_by_label("Token", exact=True)
    for name, value in {"spellcheck": "false", "autocomplete": "off", "autocapitalize": "off"}.items():
        await expect(field).to_have_attribute(name, value)


async def test_tables_show_only_members_that_a_row_has(page: Page) -> None:
    await page.evaluate("""async () => {
      const { showValue } = await import("/console/parts/value_tables.js");
      document.body.append(showValue([{ constructor: 1, length: 2 }, {}, "text"]));
    }""")
    await expect(page.locator("td")).to_have_text(["1", "2", "", "", "", ""])


async def test_a_call_that_runs_is_not_overwritten_by_the_result_before(page: Page) -> None:
    server = Double(page)
    await server.open("#/tools/wait")
    call = page.get_by_role("button", name="Call", exact=True)
    await call.click()
    await expect(page.locator(".result dl")).to_contain_text("first")
    await page.evaluate("document.getElementById('live').textContent = ''")
    await server.leave()
    await page.go_back()
    await expect(page.locator(".result dl")).to_contain_text("first")
    await expect(page.locator("#live")).to_be_empty()
    server.held.add("tools/call")
    await call.click()
    route = await server.next_held()
    await server.leave()
    await page.go_back()
    await expect(page.get_by_text("Waits for the answer.")).to_be_visible()
    server.results["tools/call"] = {"content": [], "structuredContent": {"answer": "second"}}
    await server.give(route)
    await expect(page.locator(".result dl")).to_contain_text("second")


async def test_a_view_is_mounted_where_it_is_seen_and_its_call_ends_with_its_page(page: Page) -> None:
    server = Double(page, "resources/read")
    server.results["tools/list"] = {"tools": [{**TOOL, "_meta": {"ui": {"resourceUri": "ui://wait/view"}}}]}
    await server.open("#/tools/wait")
    await page.get_by_role("button", name="Call", exact=True).click()
    document = await server.next_held()
    await server.leave()
    await page.go_back()
    server.held.add("tools/call")
    await server.give(document)
    await server.next_held()
    await expect(page.locator("iframe")).to_have_count(1)
    async with page.expect_event("requestfailed"):
        await server.leave()
    await page.go_back()
    await server.next_held()
    await expect(page.locator("iframe")).to_have_count(1)


async def test_a_view_opens_only_pages_of_the_web(page: Page) -> None:
    opened = await page.evaluate("""async () => {
      const { openLink } = await import("/console/call/views.js");
      const opened = [];
      window.open = (...given) => void opened.push(given);
      for (const url of ["https://example.com/a", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"]) {
        try { openLink(url) } catch (error) { opened.push(error.message) }
      }
      return opened;
    }""")
    assert opened == [
        ["https://example.com/a", "_blank", "noopener,noreferrer"],
        *(f"Links to {each}: are not opened." for each in ("javascript", "file", "data")),
    ]


async def test_a_page_that_was_left_shows_nothing_and_discovery_is_asked_for_once(page: Page) -> None:
    server = Double(page, "server/discover", "tools/list")
    await server.open("#/tools/wait")
    discovery = await server.next_held()
    await page.evaluate("location.hash = '#/tools'")
    await server.give(discovery)
    tools = await server.next_held()
    await server.leave()
    async with page.expect_response("**/mcp"):
        await server.give(tools)
    await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    await expect(page.locator("h1")).to_have_text("Tasks")
    assert server.asked == ["server/discover", "tools/list"]


@pytest.mark.parametrize(
    "text, note",
    [
        ('{"text": "a\\nb"}', "The form cannot hold text."),
        ('{"text": ""}', "The form cannot hold text."),
        ('{"side": "hold"}', "The form cannot hold side."),
        ('{"count": 1.5, "other": 2}', "The form cannot hold count, other."),
        ("[1]", "Arguments are an object."),
        ("{", "This is no JSON"),
        ('{"text": "a", "count": 2}', None),
    ],
)
async def test_arguments_stay_json_where_a_form_would_change_them(page: Page, text: str, note: str | None) -> None:
    value = await page.evaluate(
        """async (text) => {
          const { ArgumentsEditor } = await import("/console/call/arguments_editor.js");
          const properties = { text: { type: "string" }, side: { enum: ["buy", "sell"] }, count: { type: "integer" } };
          const editor = new ArgumentsEditor({ type: "object", properties, required: ["text"] });
          document.body.append(editor.element, editor.toggle);
          editor.toggle.click();
          editor.element.querySelector("textarea[aria-label=JSON]").value = text;
          editor.toggle.click();
          return editor.toggle.textContent === "Edit as JSON" && editor.value;
        }""",
        text,
    )
    assert value == (False if note else json.loads(text))
    await expect(page.get_by_role("status").first).to_contain_text(note or "")


async def test_the_status_keeps_states_of_two_minutes(page: Page) -> None:
    kept = await page.evaluate("""async () => {
      const { keep } = await import("/console/pages/status.js");
      const states = [];
      for (const time of [0, 2_000, 60_000, 121_000, 122_000, 600_000]) keep(states, { time, samples: new Map() });
      const late = states.map(({ time }) => time);
      for (let time = 600_001; time < 600_100; time += 1) keep(states, { time, samples: new Map() });
      return [late, states.length];
    }""")
    assert kept == [[600_000], 61]


async def test_a_forgotten_token_leaves_no_call_no_task_and_nothing_on_the_page(page: Page) -> None:
    server = Double(page, "tasks/get")
    task = {"taskId": "a-task-of-the-desk", "status": "working", "pollIntervalMs": 1}
    server.results["tools/call"] = {"resultType": "task", **task}
    await server.open("#/tools/wait")
    await page.get_by_role("button", name="Call", exact=True).click()
    await server.next_held()
    server.held.add("tools/list")
    async with page.expect_event("requestfailed"):
        await page.evaluate("document.getElementById('token').click()")
    await expect(page.locator("main")).to_be_empty()
    await server.leave()
    await expect(page.get_by_text("No call of this page has become a task yet.")).to_be_visible()


async def test_only_requests_that_fail_are_called_no_answer(page: Page) -> None:
    titles = await page.evaluate("""async () => {
      const { Connection } = await import("/console/protocol/connection.js");
      const { McpClient } = await import("/console/protocol/mcp.js");
      const { explain } = await import("/console/parts/faults.js");
      const titleOf = (promise) => promise.then(() => "", (error) => explain(error).title);
      const client = new McpClient(new Connection(() => {}, () => {}));
      const fail = (controller) => controller.error(new TypeError("network error"));
      const headers = { "content-type": "text/event-stream" };
      window.fetch = async () => { throw new TypeError("Failed to fetch") };
      const unsent = await titleOf(client.request("tools/list"));
      window.fetch = async () => new Response(new ReadableStream({ start: fail }), { headers });
      const broken = await titleOf(client.request("tools/list"));
      return [unsent, broken, explain(new TypeError("x is not a function")).title];
    }""")
    assert titles == ["No answer", "No answer", "Failed"]


async def test_the_status_goes_on_after_a_proxy_has_answered_for_its_server(page: Page) -> None:
    ready: list[dict[str, Any]] = [
        {"body": "<h1>Soon</h1>", "content_type": "text/html"},
        {"json": {"status": "ready"}},
    ]
    await page.route("**/ready", lambda route: route.fulfill(**(ready.pop(0) if len(ready) > 1 else ready[0])))
    await page.route("**/metrics", lambda route: route.fulfill(body="mcp_calls_in_flight 0\n"))
    await page.clock.install()
    await Double(page).open("#/status")
    await expect(page.get_by_role("alert")).to_contain_text("HTTP 502")
    await page.clock.run_for(2_000)
    await expect(page.locator("dd.good")).to_have_text("ready")


async def test_a_question_of_a_task_is_taken_back_once_the_task_is_cancelled(page: Page) -> None:
    question = {"message": "Shall it?", "requestedSchema": {"type": "object", "properties": {}}}
    asks = {"method": "elicitation/create", "params": question}
    times = {"createdAt": "2026-01-31T12:00:00Z", "lastUpdatedAt": "2026-01-31T12:00:00Z", "ttlMs": 60_000}
    server = Double(page)
    server.results |= {"tasks/cancel": {}, "tasks/update": {}}
    server.results["tasks/get"] = {
        "taskId": "one",
        "status": "input_required",
        "inputRequests": {"approval": asks},
        **times,
    }
    await server.open("#/tasks/one")
    await expect(page.get_by_text("Shall it?")).to_be_visible()
    server.results["tasks/get"] = {"taskId": "one", "status": "cancelled", **times}
    await page.get_by_role("button", name="Cancel the task").click()
    await expect(page.get_by_role("alert")).to_contain_text("The task was cancelled.")
    await expect(page.get_by_text("Shall it?")).to_be_hidden()
    await expect(page.get_by_role("button", name="Cancel the task")).to_be_disabled()


@pytest.mark.parametrize(
    "method, fragment, button",
    [
        ("resources/read", "#/resources/desk%3A%2F%2F1", "Read again"),
        ("prompts/get", "#/prompts/plan", "Get"),
    ],
)
async def test_a_panel_shows_what_was_asked_for_last(page: Page, method: str, fragment: str, button: str) -> None:
    server = Double(page, method)
    server.results |= {
        "resources/list": {"resources": [{"uri": "desk://1", "name": "one"}]},
        "resources/templates/list": {"resourceTemplates": []},
        "resources/read": {"contents": [{"uri": "desk://1", "text": "the last"}]},
        "prompts/list": {"prompts": [{"name": "plan"}]},
        "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "the last"}}]},
    }
    await server.open(fragment)
    if method == "prompts/get":
        await page.get_by_role("button", name=button).click()
    await server.next_held()
    async with page.expect_event("requestfailed"):
        await page.get_by_role("button", name=button).click()
    await server.give(await server.next_held())
    await expect(page.locator("pre.text")).to_have_text("the last")
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_another_version_gets_another_idempotency_key(page: Page) -> None:
    keys = await page.evaluate(
        """async (tool) => {
          const { CallPanel } = await import("/console/call/call_panel.js");
          const panel = new CallPanel({}, { ...tool, _meta: { versions: ["2.0.0", "1.0.0"], latest: "2.0.0" } });
          panel.addFacts({ examples: [], hasKey: true, schemas: { "1.0.0": tool.inputSchema } });
          const key = () => panel.element.querySelector("input[maxlength='128']").value;
          const first = key();
          const select = panel.element.querySelector(".options select");
          select.value = "1.0.0";
          select.dispatchEvent(new Event("change"));
          return [first, key()];
        }""",
        TOOL,
    )
    assert len({*keys}) == 2
