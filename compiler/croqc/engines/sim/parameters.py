"""Arguments to variables: arrays copied in, symbolic extents bound and checked (reference, 3.3, 3.6, 3.9).

Must not choose sizes or values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.code.compiler import Compiler
from croqc.engines.sim.code.values import cast
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array, convert, dtype_of
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.state import Frame
from croqc.sema.model import SymbolKind
from croqc.syntax import ast


def bind_parameters(c: Compiler, frame: Frame, env: LaunchArgs) -> dict[str, Buffer]:
    """Gives a host frame its variables; the buffers of array parameters by name.

    Raises SimError for a missing argument, another rank or extents that do not fit.
    """
    frame.vars[:] = [None] * len(c.slots)
    frame.bounds[:] = [None] * len(c.slots)
    buffers = {}
    known: dict[str, int] = {}
    for param in c.model.function.params:
        if param.type.elem == "stream" or param.name is None:
            continue
        try:
            if param.type.dims is None:
                _bind_scalar(c, frame, param, env.scalars)
            else:
                buffers[param.name.id] = buffer = _bind_array(c, frame, param, env.arrays)
                _bind_extents(param, buffer.shape, known)
        except SimError as error:
            raise error.at(param.name.span) from None
    _bind_dimensions(c, frame, {**env.dims, **known})
    return buffers


def _set(c: Compiler, frame: Frame, name: ast.Name, value: Any) -> None:
    symbol = c.model.uses.get(name)
    if symbol is not None and symbol in c.slots:
        frame.vars[c.slots[symbol]] = value


def _bind_array(c: Compiler, frame: Frame, param: ast.Param, arrays: Mapping[str, Array]) -> Buffer:
    assert param.name is not None
    array = arrays.get(param.name.id)
    if array is None:
        raise SimError(f"no data is given for '{param.name.id}'")
    buffer = Buffer.holding(param.name.id, convert(array, dtype_of(param.type.elem)))
    _set(c, frame, param.name, buffer)
    return buffer


def _bind_scalar(c: Compiler, frame: Frame, param: ast.Param, scalars: Mapping[str, int | float | bool]) -> None:
    assert param.name is not None
    value = scalars.get(param.name.id)
    if value is None:
        raise SimError(f"no value is given for '{param.name.id}'")
    kind = dtype_of(param.type.elem)
    plain = bool(value) if kind.kind == "b" else int(value)  # control integers, which are s32
    _set(c, frame, param.name, plain if kind in (np.bool_, np.int32) else cast(value, kind))


def _bind_extents(param: ast.Param, shape: tuple[int, ...], known: dict[str, int]) -> None:
    """The first occurrence of a symbolic name gives its value, each further one must agree (3.3)."""
    assert param.name is not None
    assert param.type.dims is not None
    name, dims = param.name, param.type.dims
    rank = param.type.rank if param.type.rank is not None else len(dims)
    if len(shape) != rank:
        raise SimError(f"'{name.id}' has rank {rank}, the data has {len(shape)}", name.span)
    for dim, extent in zip(dims, shape, strict=False):
        want = dim.value if isinstance(dim, ast.IntLit) else None
        if isinstance(dim, ast.Name):
            want = known.setdefault(dim.id, extent)
        if want is not None and want != extent:
            raise SimError(f"an extent of '{name.id}' is {extent} and should be {want}", dim.span)


def _bind_dimensions(c: Compiler, frame: Frame, values: Mapping[str, int]) -> None:
    for symbol, slot in c.slots.items():
        if symbol.kind is SymbolKind.DIMENSION:
            value = values.get(symbol.name)
            if value is None:
                raise SimError(f"no value is given for the extent '{symbol.name}'", symbol.name_span)
            frame.vars[slot] = int(value)
