"""Options of `generate`."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolaccord_codegen.cli.options.arguments import program_name, project_key
from toolaccord_codegen.cli.options.folders import Folders, resolve
from toolaccord_codegen.cli.value_types import parse_reverse_dns_name
from toolaccord_codegen.ir.layout import NAMESPACE, Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """Options of `generate`: folders, and settings of start-up files."""

    folders: Folders
    sandbox: str | None = field(
        metadata=project_key("the module that provides data for --sandbox of a server", metavar="MODULE")
    )
    namespace: str = field(
        metadata=project_key(
            f"your reverse-DNS name in the MCP registry, e.g. io.github.acme; default: {NAMESPACE}, which is nobody's",
            type=parse_reverse_dns_name,
            default=NAMESPACE,
            metavar="NAME",
        )
    )
    images: str | None = field(
        metadata=project_key("the prefix of container image names, e.g. images.example/acme", metavar="PREFIX")
    )
    kubernetes: bool = field(
        metadata=project_key("also write manifests for Kubernetes", action="store_true", default=False)
    )

    @property
    def layout(self) -> Layout:
        """Return the names around the generated files."""
        folders = self.folders
        return Layout(
            package=folders.package,
            handlers=folders.handlers,
            sandbox=self.sandbox,
            contracts=resolve(folders.contracts).name,
            command=folders.generate_command("toolaccord", self._names, folders.portable_path),
            namespace=self.namespace,
            images=self.images,
            kubernetes=self.kubernetes,
        )

    @property
    def command(self) -> str:
        """Return the command that writes the files, with every path as it was given."""
        return self.folders.generate_command(program_name(), self._names)

    @property
    def _names(self) -> dict[str, str | bool | None]:
        """Return the options that folders do not have."""
        return {
            "sandbox": self.sandbox,
            "namespace": self.namespace,
            "images": self.images,
            "kubernetes": self.kubernetes,
        }
