"""Islands of C++ in a kernel: the names of the program in them become those of generated code (reference, 1.5, 9.12).

Only names are replaced; the text stays as it is, for one statement of C++ may be spread over several islands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Var
from croqc.sema.island_text import island_text
from croqc.sema.model import Level, Symbol
from croqc.syntax import ast
from croqc.syntax.cpp_tokens import NUMBER, SILENT, WORD
from croqc.syntax.visit import walk

_TOKEN: Final = re.compile(rf"{SILENT}|(?:\.|->|::)\s*{WORD.pattern}|{NUMBER}|{WORD.pattern}", re.DOTALL | re.ASCII)
_INDEX: Final = re.compile(r"__iv_(\w+?)(?:__elem__(\d+))?", re.ASCII)
_THREAD: Final = re.compile(r"__choreo_(vtid|vgid|vg4id)_([xyz])", re.ASCII)
_LEVELS: Final = {"vtid": Level.THREAD, "vgid": Level.GROUP, "vg4id": Level.GROUP4}


def island(c: Context, node: ast.Cpp) -> Built:
    """Raises LoweringError for a name of the program, or one that islands may use, that no C++ object stands for."""
    named = c.model.islands.get(node, {})
    own = declared_in(node.text.value)

    def spelled(found: re.Match[str]) -> str:
        word = found[0]
        return word if word in own or not WORD.fullmatch(word) else _spelled(c, node, word, named)

    text = _TOKEN.sub(spelled, node.text.value)
    words = WORD.findall(text) + WORD.findall(island_text(c.model.context, node))
    return [ir.Text(node.span, text, frozenset(words))]


def words_of(text: str) -> Iterator[tuple[str, str, str]]:
    """The words of C++ that may be names, each with the token before and what follows; none in comments, literals, or
    behind `.`, `->`, `::`."""
    before, end = "", 0
    for found in _TOKEN.finditer(text):
        if found[0].startswith(("//", "/*")):
            continue
        between = text[end : found.start()].strip()
        before = between[-1] if between else before
        if WORD.fullmatch(found[0]):
            yield found[0], before, text[found.end() :].lstrip()[:2]
        before, end = found[0], found.end()


_EXPRESSION: Final = frozenset(("return", "case", "else", "do", "throw", "goto", "sizeof", "co_return"))


def declared_in(text: str) -> frozenset[str]:
    """The words that C++ may declare: those behind another word, or behind a type and its `*`, `&` or `>`."""
    return frozenset(
        word
        for word, before, _ in words_of(text)
        if (WORD.fullmatch(before) and before not in _EXPRESSION)
        or (before in ("*", "&", ">") and _is_pointer(text, word))
    )


def _is_pointer(text: str, word: str) -> bool:
    """Whether C++ seems to declare the word behind a `*`, a `&` or template arguments: `T* x =`, `T& x;`, `V<3> x`."""
    typed = r"(?:^|[;{(,])\s*(?:const\s+)?[A-Za-z_][\w:]*(?:\s*<[^;{}]*>)?\s*(?:const\s*)?[*&\s]+"
    return re.search(rf"{typed}\b{word}\b\s*[=;,)\[({{]", text) is not None


def _spelled(c: Context, node: ast.Cpp, word: str, named: Mapping[str, Symbol]) -> str:
    """The name in generated code; the word itself where the program does not know it."""
    symbol = named.get(word)
    if (thread := _THREAD.fullmatch(word)) is not None:
        return _of_thread(c, node, word, _LEVELS[thread[1]], "xyz".index(thread[2]))
    if symbol is None:
        return word
    if (index := _INDEX.fullmatch(word)) is not None and symbol.name != word:
        parts = c.tuples.get(symbol)
        place = int(index[2] or 0)
        if parts is not None and place < len(parts) and isinstance(part := parts[place], Var):
            return part.name
        if parts is None and place == 0 and symbol in c.known:
            return c.known[symbol]
        raise _missing(word, node)
    if symbol in c.tensors:
        tensor = c.tensors[symbol]
        if symbol in c.tiles:
            raise _missing(word, node)  # one slot of several, which C++ has no name for
        return tensor.name
    if symbol in c.accumulators:
        return c.accumulators[symbol].name
    size = c.sizes.get(symbol.atom or symbol.name)
    if isinstance(size, Lit):
        return str(size.value)
    if symbol in c.known and symbol not in c.handles:
        return c.known[symbol]
    raise _missing(word, node)


def _of_thread(c: Context, node: ast.Cpp, word: str, level: Level, place: int) -> str:
    """An index of the innermost `parallel` of a level around the island."""
    found: list[str] = []
    for each in walk(c.kernel.node) if c.kernel is not None else ():
        if isinstance(each, ast.Parallel) and node in set(walk(each)):
            names = [name for axis in each.axes if c.model.levels.get(axis) is level for name in axis.names]
            found = [c.name_of(c.symbol(name)) for name in names] or found
    if place >= len(found):
        raise _missing(word, node)
    return found[place]


def _missing(word: str, node: ast.Cpp) -> LoweringError:
    return LoweringError(
        f"this island uses '{word}', which this back end does not provide: "
        "give it buffers, scalars, indices or accumulators by their names",
        node.span,
    )
