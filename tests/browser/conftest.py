import pytest_asyncio, pytest
from playwright.async_api import async_playwright
from tests.services.fetched import fetched
@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    async with async_playwright() as p:
        b = await p.chromium.launch(executable_path=fetched("chromium"), args=["--no-sandbox"])
        yield b
        await b.close()
@pytest.fixture(scope="session")
def axe():
    return fetched("axe").read_text()
