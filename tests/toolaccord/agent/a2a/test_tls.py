"""An agent over A2A with a certificate."""

import ssl
from pathlib import Path

import httpx

from tests.services.certificate import Authority
from tests.toolaccord.agent.a2a.guide import serving
from tests.toolaccord.process import PATIENCE_S


async def test_the_card_of_an_agent_with_a_certificate_has_https_and_its_end_is_a_metric(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    issued = authority.issue("agent")
    trust = ssl.create_default_context(cafile=authority.file)
    async with (
        serving(MCP_TLS_CERTIFICATE=str(issued.certificate), MCP_TLS_KEY=str(issued.key)) as (agent, _),
        httpx.AsyncClient(verify=trust, base_url=agent.url, timeout=PATIENCE_S, trust_env=False) as client,
    ):
        card = (await client.get("/.well-known/agent-card.json")).json()
        urls = [each["url"] for each in card["supportedInterfaces"]]
        assert urls
        assert all(url.startswith("https://127.0.0.1:") for url in urls)
        assert "mcp_tls_certificate_expiry_timestamp_seconds 1" in (await client.get("/metrics")).text
