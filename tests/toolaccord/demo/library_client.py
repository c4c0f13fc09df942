"""Adapt the generated client of the library to the test server's entry point."""

from dataclasses import replace
from typing import ClassVar

from tests.toolaccord.generated.demo.library import client


class LibraryClient(client.LibraryClient):
    """Calls the library; on stdio it starts the test server."""

    _server: ClassVar = replace(client.LibraryClient._server, module="tests.toolaccord.demo.library")
