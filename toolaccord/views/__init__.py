"""Views: pages that show a tool's results, in hosts with MCP Apps, the console and the site."""

from toolaccord.views.document import CONTENT_SECURITY_POLICY, build_document

__all__ = ["CONTENT_SECURITY_POLICY", "build_document"]
