"""The contracts as Protocol Buffers, as protoc reads them."""

import subprocess
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from benchmarks.protobuf_twin import twin
from tests.contracts.shipped import compiled_contracts, copy_contracts


def test_the_twin_has_a_method_per_tool_and_a_field_per_argument_and_result_member(tmp_path: Path) -> None:
    for name, text in twin(copy_contracts(tmp_path / "copied")).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = sorted(map(str, tmp_path.glob("*/*/v1/*.proto")))
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"-I{tmp_path}",
        f"--descriptor_set_out={tmp_path}/set",
        *files,
    ]
    subprocess.run(command, check=True)
    read = FileDescriptorSet.FromString((tmp_path / "set").read_bytes())
    fields = {message.name: len(message.field) for file in read.file for message in file.message_type}
    tools = [tool for contract in compiled_contracts().contracts for tool in contract.tools]
    assert sum(len(service.method) for file in read.file for service in file.service) == len(tools)
    assert [(fields[f"{tool.class_name}Request"], fields[f"{tool.class_name}Response"]) for tool in tools] == [
        (len(tool.parameters["properties"]), len(tool.returns["properties"])) for tool in tools
    ]
