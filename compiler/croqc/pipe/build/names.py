"""Names of the generated code: those of the source, made unique and legal in C++. Must not look at types."""

from __future__ import annotations

from typing import Final

_WORDS: Final = (
    "alignas alignof and asm auto bool break case catch char class const constexpr continue default "
    "delete do double else enum explicit extern false float for friend goto half if inline int int64_t "
    "long mutable namespace new not nullptr operator or private protected public register return short "
    "signed sizeof smem static struct switch template this throw true try typedef typename uint32_t "
    "uint64_t union unsigned using virtual void volatile while xor threadIdx blockIdx blockDim gridDim "
    "warpSize croq main "
)
_RESERVED: Final = frozenset(_WORDS.split())


class Names:
    """Hands out identifiers. A taken name gets a number: `k`, `k_2`, `k_3`."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._used: set[str] = set(_RESERVED)

    def fresh(self, wish: str) -> str:
        """The wish itself, where that is free. What is no letter, digit or `_` becomes `_`."""
        plain = "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in wish) or "value"
        if plain[0].isdigit() or plain.startswith("__"):
            plain = f"v{plain}"
        name, number = plain, self._taken.get(plain, 1)
        while name in self._used:
            number += 1
            name = f"{plain}_{number}"
        self._taken[plain] = number
        self._used.add(name)
        return name
