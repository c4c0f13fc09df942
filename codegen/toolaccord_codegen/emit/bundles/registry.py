"""The registry's server.json with a bundle among its packages."""

from __future__ import annotations

import hashlib
import json

from toolaccord_codegen.ir.contract import Contract


def add_bundle(server_json: str, contract: Contract, bundle: bytes, url: str) -> str:
    """Return a server.json that also has a bundle, which is published at *url*."""
    entry = json.loads(server_json)
    package = {
        "registryType": "mcpb",
        "identifier": url,
        "version": contract.version,
        "fileSha256": hashlib.sha256(bundle).hexdigest(),
        "transport": {"type": "stdio"},
    }
    entry["packages"] = [package, *entry.get("packages", [])]
    return f"{json.dumps(entry, indent=2, ensure_ascii=False)}\n"
