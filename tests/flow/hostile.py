"""Kernels that are large on purpose: for tests of what bounds the verifier's effort, and to measure. Must not assert.

Each is a correct pipeline unless its name says otherwise, so that a finding about one of them is a false alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.flow.pipes import block, ring

_LOAD = "dma.copy src.subspan(16, 64).at(b, {k}) => {to};"
_STORE = "dma.copy {of} => dst.subspan(16, 64).at(b, {k});"


def many_events(count: int = 1000) -> str:
    """One path triggers each event, another waits for it."""
    names = [f"e{number}" for number in range(count)]
    gives = " ".join(f"trigger {name};" for name in names)
    takes = " ".join(f"wait {name};" for name in names)
    return block(
        f"""shared event {", ".join(names)};
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{ {gives} }} inthreads.async (p == 1) {{ {takes} }} }}"""
    )


def rings_of_events(count: int = 500) -> str:
    """As many rings of two slots, all gone round in one loop."""
    each = range(count)
    events = ", ".join(f"full{n}[2], empty{n}[2] = ready" for n in each)
    gives = " ".join(f"wait empty{n}[k % 2]; trigger full{n}[k % 2];" for n in each)
    takes = " ".join(f"wait full{n}[k % 2]; trigger empty{n}[k % 2];" for n in each)
    return block(
        f"""shared event {events};
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{ foreach {{k}} in [cdiv(K, 64)] {{ {gives} }} }}
          inthreads.async (p == 1) {{ foreach {{k}} in [cdiv(K, 64)] {{ {takes} }} }} }}"""
    )


def long_ring(stages: int = 10_000) -> str:
    return ring(stages)


def long_loop(turns: int = 2**60) -> str:
    return ring(3, turns=f"[{turns}]")


def long_loop_one_short(turns: int = 2**60) -> str:
    return ring(3, turns=f"[{turns}]", taken=f"[{turns + 1}]")


def nested_loops(extents: Sequence[str]) -> str:
    """A ring of one slot inside as many loops as there are extents."""
    loops = " ".join(f"foreach {{i{depth}}} in [{extent}] {{" for depth, extent in enumerate(extents))
    ends = "}" * len(extents)
    return block(
        f"""shared event full, empty = ready; shared f16 [16, 64] a;
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{ {loops} wait empty; {_LOAD.format(k=0, to="a")} trigger full; {ends} }}
          inthreads.async (p == 1) {{ {loops} wait full; {_STORE.format(k=0, of="a")} trigger empty; {ends} }} }}"""
    )


def _sized(body: str, sizes: int) -> str:
    """A kernel with integer parameters `n0` and on, instead of the usual one."""
    names = ", ".join(f"int n{number}" for number in range(sizes))
    return body.replace("int n)", f"{names})", 1)


def symbolic_nest(depth: int = 10) -> str:
    """Each loop runs as often as a parameter of its own says."""
    return _sized(nested_loops([f"n{number}" for number in range(depth)]), depth)


def joined_sizes(sizes: int = 8) -> str:
    """The number of turns depends on all parameters at once."""
    total = " + ".join(f"cdiv(n{number}, {number + 2})" for number in range(sizes))
    return _sized(ring(3, turns=f"[{total}]"), sizes)


def many_sizes(sizes: int = 8) -> str:
    """A ring a parameter, one behind the other."""
    each = range(sizes)
    events = ", ".join(f"full{n}[3], empty{n}[3] = ready" for n in each)
    gives = " ".join(
        f"foreach {{k}} in [cdiv(n{n}, 16)] {{ wait empty{n}[k % 3]; {_LOAD.format(k='k', to=f'buf{n}[k % 3]')} "
        f"trigger full{n}[k % 3]; }}"
        for n in each
    )
    takes = " ".join(
        f"foreach {{k}} in [cdiv(n{n}, 16)] {{ wait full{n}[k % 3]; {_STORE.format(k='k', of=f'buf{n}[k % 3]')} "
        f"trigger empty{n}[k % 3]; }}"
        for n in each
    )
    body = block(
        f"""shared event {events}; {" ".join(f"shared f16 [16, 64] buf{n}[3];" for n in each)}
        parallel p by 2 : group-4 {{ inthreads.async (p == 0) {{ {gives} }} inthreads.async (p == 1) {{ {takes} }} }}"""
    )
    return _sized(body, sizes)


def many_paths(paths: int = 32, stages: int = 4) -> str:
    """One producer, all other warps read each tile."""
    return ring(stages, paths - 1).replace(": group-4", ": group")


def chain(roles: int = 5, stages: int = 4, persistent: bool = True) -> str:
    """Each role hands tiles on to the next one through a ring of its own; `persistent`: for many outputs."""
    links = range(roles - 1)
    events = ", ".join(f"full{n}[{stages}], empty{n}[{stages}] = ready" for n in links)
    buffers = " ".join(f"shared f16 [16, 64] buf{n}[{stages}];" for n in links)
    around, ends, number = (
        ("foreach {t} in [cdiv(M, 128)] {", "}", "t * cdiv(K, 64) + k") if persistent else ("", "", "k")
    )
    bodies = []
    for role in range(roles):
        take, give = f"order % {stages}", f"order % {stages}"
        steps = []
        if role:
            steps.append(f"wait full{role - 1}[{take}];")
        if role < roles - 1:
            steps.append(f"wait empty{role}[{give}];")
        source = f"buf{role - 1}[{take}]" if role else "src.subspan(16, 64).at(b, k)"
        target = f"buf{role}[{give}]" if role < roles - 1 else "dst.subspan(16, 64).at(b, k)"
        steps.append(f"dma.copy {source} => {target};")
        if role:
            steps.append(f"trigger empty{role - 1}[{take}];")
        if role < roles - 1:
            steps.append(f"trigger full{role}[{give}];")
        bodies.append(
            f"inthreads.async (p == {role}) {{ {around} foreach {{k}} in [cdiv(K, 64)] {{ "
            f"order = {number}; {' '.join(steps)} }} {ends} }}"
        )
    return block(f"shared event {events}; {buffers} parallel p by {roles} : group-4 {{ {' '.join(bodies)} }}")


def counted_chain(roles: int = 5, stages: int = 4) -> str:
    """A persistent chain whose roles count their orders in a mutable number."""
    text = chain(roles, stages)
    for role in range(roles):
        text = text.replace(
            f"inthreads.async (p == {role}) {{ foreach {{t}}",
            f"inthreads.async (p == {role}) {{ mutable int o{role} = 0; foreach {{t}}",
            1,
        )
    return _counting(text)


def _counting(text: str) -> str:
    pieces = text.split("order = t * cdiv(K, 64) + k;")
    made = pieces[0]
    for role, piece in enumerate(pieces[1:]):
        body, behind = piece.split("} }", 1)
        made += f"{body.replace('order', f'o{role}')} o{role} = o{role} + 1; }} }}{behind}"
    return made


def many_copies(count: int = 300, stages: int = 3) -> str:
    """A stage that is made of many tiles."""
    each = range(count)
    params = ", ".join(f"global f16 [M, K] a{n}" for n in each)
    buffers = " ".join(f"shared f16 [4, 8] st{n}[{stages}];" for n in each)
    loads = " ".join(f"tma.copy a{n}.subspan(4, 8).at(b, k) => st{n}[s];" for n in each)
    takes = " ".join(f"dma.copy st{n}[s] => dst.subspan(4, 8).at(b, k);" for n in each)
    text = ring(
        stages,
        buffers=buffers,
        load=f"wait empty[s]; {loads} trigger full[s];",
        take=f"wait full[s]; {takes} trigger empty[s];",
    )
    return text.replace("int n)", f"{params})", 1)


def whole_ring(stages: int = 2_000) -> str:
    """Waits and triggers of all slots of an event at once, in a loop."""
    return block(
        f"""shared event full[{stages}], empty[{stages}] = ready; shared f16 [16, 64] a;
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{ foreach {{k}} in [cdiv(K, 64)] {{
            wait empty; {_LOAD.format(k="k", to="a")} trigger full; }} }}
          inthreads.async (p == 1) {{ foreach {{k}} in [cdiv(K, 64)] {{
            wait full; {_STORE.format(k="k", of="a")} trigger empty; }} }} }}"""
    )


def many_readers(reads: int = 200, paths: int = 32) -> str:
    """Every consumer reads each tile in as many places, none of which hides another."""
    takes = " ".join(f"dma.copy buf[s] => dst.subspan(16, 64).at(b, {n});" for n in range(reads))
    return ring(2, paths - 1, take=f"wait full[s]; {takes} trigger empty[s];").replace(": group-4", ": group")


def many_guards(guards: int = 400, sizes: int = 6) -> str:
    """Each turn asks about the sizes in as many places."""
    total = " + ".join(f"n{number}" for number in range(sizes))
    asks = " ".join(
        f"if (k * {n + 2} < {total}) {{ dma.copy buf[s] => dst.subspan(16, 64).at(b, {n}); }}" for n in range(guards)
    )
    return _sized(ring(2, take=f"wait full[s]; {asks} trigger empty[s];", turns=f"[{total}]"), sizes)


def many_functions(count: int = 500) -> str:
    return "\n".join(ring(3).replace("void f(", f"void pipe{number}(", 1) for number in range(count))


def kept_order(stages: int = 3, factor: int = 6) -> str:
    """A mutable order that is kept modulo a multiple of the ring, in a persistent loop over three symbolic sizes."""
    turn = f"o = (o + 1) % {factor * stages};"
    heads = "foreach {{t}} in [cdiv(M, 128)] {{ foreach {{u}} in [cdiv(n, 32)] {{ foreach {{k}} in [cdiv(K, 64)] {{"
    body = heads + " {} }} }} }}"
    load = f"wait empty.at(o); {_LOAD.format(k='k', to=f'buf[o % {stages}]')} trigger full.at(o); {turn}"
    take = f"wait full.at(o); {_STORE.format(k='k', of=f'buf[o % {stages}]')} trigger empty.at(o); {turn}"
    return block(
        f"""shared event full[{stages}], empty[{stages}]; shared f16 [16, 64] buf[{stages}];
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{ mutable int o = 0; {body.format(load)} }}
          inthreads.async (p == 1) {{ foreach {{i}} in [{stages}] {{ trigger empty[i]; }} mutable int o = 0;
            {body.format(take)} }} }}"""
    )


HOSTILE: dict[str, Callable[[], str]] = {
    "1000 events": many_events,
    "500 rings of two": rings_of_events,
    "20,000 events": lambda: many_events(20_000),
    "ring of 10,000 slots": long_ring,
    "2^60 turns": long_loop,
    "2^60 turns, one short": long_loop_one_short,
    "ten nested loops of 1000": lambda: nested_loops(["1000"] * 10),
    "ten nested loops of 2^60": lambda: nested_loops([str(2**60)] * 10),
    "ten nested loops of n": lambda: nested_loops(["n"] * 10),
    "ten nested loops of ten sizes": symbolic_nest,
    "six sizes at once": lambda: joined_sizes(6),
    "ten sizes at once": lambda: joined_sizes(10),
    "ten rings of ten sizes": lambda: many_sizes(10),
    "32 paths": many_paths,
    "persistent chain of five roles": chain,
    "persistent chain of five roles, counted": counted_chain,
    "persistent chain of eight roles, counted": lambda: counted_chain(8),
    "300 copies a stage": many_copies,
    "all slots of 2000 at once": whole_ring,
    "31 paths read in 200 places": many_readers,
    "400 conditions on six sizes": many_guards,
    "order modulo 6N": kept_order,
    "order modulo 60N": lambda: kept_order(5, 60),
}
