"""InfluxData's own parser and type checker of Flux, in WebAssembly.

It knows syntax, names, arguments and types of the standard library. It knows no columns, and runs nothing.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wasmtime

COMPILED = "flux.cwasm"


class FluxParser:
    """The parser; one text at a time."""

    def __init__(self, module: Path) -> None:
        self._store = wasmtime.Store()
        loaded = _compiled(self._store.engine, module)
        self._parsed: list[bytes] = []
        imports = [self._function(each) for each in loaded.imports]
        self._exports = wasmtime.Instance(self._store, loaded, imports).exports(self._store)

    def accepts(self, text: str) -> bool:
        """Return True if *text* is valid Flux, including the types of arguments."""
        return bool(self._call("is_valid_flux", text))

    def tree(self, text: str) -> dict[str, Any]:
        """The syntax tree of *text*."""
        self._parsed.clear()
        self._call("parse", text)
        tree: dict[str, Any] = json.loads(self._parsed[0])
        return tree

    def _call(self, name: str, text: str) -> Any:
        data = text.encode()
        place = self._export("__wbindgen_malloc")(self._store, len(data))
        self._export("memory").write(self._store, data, place)
        return self._export(name)(self._store, place, len(data))

    def _export(self, name: str) -> Any:
        return self._exports[name]

    def _function(self, needed: wasmtime.ImportType) -> wasmtime.Func:
        """Return a host function of the module: JSON values are stored as text, others never called."""
        kind = needed.type
        assert isinstance(kind, wasmtime.FuncType)

        def keep(place: int, length: int) -> int:
            self._parsed.append(bytes(self._export("memory").read(self._store, place, place + length)))
            return 0

        def refuse(*_: int) -> int:
            raise NotImplementedError(needed.name)

        known: dict[str, Callable[..., Any]] = {
            "__wbindgen_json_parse": keep,
            "__wbindgen_object_drop_ref": lambda _: None,
        }
        return wasmtime.Func(self._store, kind, known.get(str(needed.name), refuse))


def _compiled(engine: wasmtime.Engine, module: Path) -> wasmtime.Module:
    """The module as machine code, which takes 2 s to make, and is kept beside it."""
    kept = module.with_name(COMPILED)
    try:
        return wasmtime.Module.deserialize_file(engine, str(kept))
    except wasmtime.WasmtimeError:  # not there, or of another version
        made = wasmtime.Module.from_file(engine, str(module))
        begun = kept.with_suffix(".new")
        begun.write_bytes(made.serialize())
        begun.rename(kept)
        return made
