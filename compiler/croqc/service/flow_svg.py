"""A credit flow as a static SVG: the picture of the page at one glance. Must not analyse or lay out time.

The same result gives the same bytes. Light and dark by the viewer's preference; no script, no fonts, no links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from croqc.flow.timeline import Arrow
from croqc.sema.slot_text import subscripts
from croqc.service.flow import FlowEntry
from croqc.service.flow_run import BoxEntry, Picture, StepEntry

_UNIT, _ROW, _TALL, _PAD, _LEFT, _TOP, _GAP = 38, 42, 34, 9, 196, 84, 10
_TRACKS = {"sync": "events", "copy": "copies", "work": "work"}
_SHORT = {"trigger": "trig", "bootstrap": "give", "wait-future": "wait", "commit": "done"}
_HUES = ("#3b7ddd", "#d9772b", "#2f9e62", "#c2569b", "#1296a6", "#8d8a14", "#d2524f", "#7a62d3")
_STYLE = (
    "text{font:11.5px system-ui,'Segoe UI','DejaVu Sans',sans-serif;fill:#1d2129}.bg{fill:#fbfbfa}.lane{fill:#f0f1f4}"
    "text.soft{fill:#5c6470;font-size:11px}text.name{font-size:13px;font-weight:650}"
    "text.title{font-size:17px;font-weight:650}.box text{font-weight:600;text-anchor:middle}"
    ".box text+text{font-weight:400;font-size:10.5px;opacity:.85}.under{fill:#fff}"
    ".shape{fill-opacity:.24;stroke-width:1.3}.work .shape{fill-opacity:.52}.trigger .shape{fill-opacity:.42}"
    ".plain .shape{fill:none;stroke:#5c6470}.stuck .shape{fill:#d43535;stroke:#d43535;stroke-width:2.5}"
    ".stand{fill:none;stroke-dasharray:3 3}.arrow{fill:none;stroke-width:1.5;opacity:.65}"
    "@media(prefers-color-scheme:dark){text{fill:#e3e6ec}.bg{fill:#15171c}.lane{fill:#1d2027}.under{fill:#1c1f26}"
    "text.soft{fill:#9aa3b2}.plain .shape{stroke:#9aa3b2}}"
)


def flow_svg(flow: FlowEntry) -> str:
    """One SVG text: the counterexample of the first finding that has one, else the small run."""
    finding = next((item for item in flow.findings if item.steps), None)
    if finding is not None:
        return _Drawing(flow, finding.picture, finding.steps).text(f"{finding.code}: {finding.message}")
    return _Drawing(flow, flow.picture, flow.steps).text("")


class _Drawing:
    def __init__(self, flow: FlowEntry, picture: Picture, steps: Sequence[StepEntry]) -> None:
        self.flow = flow
        self.picture = picture
        self.steps = steps
        self.hues = {event.name: _HUES[(at + 4) % len(_HUES)] for at, event in enumerate(flow.events)}
        self.shapes = {event.name: event.shape for event in flow.events}
        self.shapes |= {buffer.name: buffer.shape for buffer in flow.buffers}
        self.buffers = list(dict.fromkeys(step.buffer for step in steps if step.buffer))
        self.tracks: dict[tuple[str, str], int] = {}
        self.lanes: list[tuple[str, int, int]] = []
        self.height = self._stack()
        self.width = _LEFT + max(picture.length, 16) * _UNIT + 20

    def _stack(self) -> int:
        """Place the lanes below each other, in the kernel's order of paths."""
        known = [path.name for path in self.flow.paths]
        lanes = sorted(self.picture.lanes, key=lambda name: known.index(name) if name in known else len(known))
        y = _TOP
        for lane in lanes:
            top = y
            for track in _TRACKS:
                own = [box.row for box in self.picture.boxes if box.path == lane and box.track == track]
                if own:
                    self.tracks[lane, track] = y + _PAD
                    y += (max(own) + 1) * _ROW
            y += 2 * _PAD
            self.lanes.append((lane, top, y - top))
            y += _GAP
        return y + 30

    def text(self, note: str) -> str:
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}"'
            f' height="{self.height}" role="img"><title>{escape(self._title())}</title><style>{_STYLE}</style>',
            f'<rect class="bg" width="{self.width}" height="{self.height}"/>',
            f'<text class="title" x="16" y="30">{escape(self._title())}</text>',
            f'<text class="soft" x="16" y="50">{escape(note or self._sizes())}</text>',
            *self._legend(),
            *self._lanes(),
            *(self._arrow(arrow) for arrow in self.picture.arrows),
            *(self._box(box) for box in self.picture.boxes),
            "</svg>",
        ]
        return "\n".join(part for part in parts if part) + "\n"

    def _title(self) -> str:
        return f"{self.flow.function}: {self.flow.strength}"

    def _sizes(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.flow.sizes.items())

    def _legend(self) -> Iterable[str]:
        x = 16
        entries = [(f"event {name}", hue) for name, hue in self.hues.items()]
        slots = {box.slot for box in self.picture.boxes if box.track != "sync" and box.slot is not None}
        entries += [(f"slot {slot}", _HUES[slot % len(_HUES)]) for slot in sorted(slots)[:8]]
        for name, hue in entries:
            yield (
                f'<rect x="{x}" y="62" width="16" height="10" rx="3" fill="{hue}" fill-opacity=".35" stroke="{hue}"/>'
                f'<text class="soft" x="{x + 22}" y="71">{escape(name)}</text>'
            )
            x += 40 + 7 * len(name)

    def _lanes(self) -> Iterable[str]:
        threads = {path.name: path for path in self.flow.paths}
        for lane, top, height in self.lanes:
            path = threads.get(lane)
            more = f"{path.threads} threads" if path else ""
            more += f" · {path.ahead} ahead" if path and path.ahead else ""
            yield f'<rect class="lane" x="0" y="{top}" width="{self.width}" height="{height}"/>'
            yield f'<text class="name" x="14" y="{top + 22}">{escape(_cut(lane.removeprefix("path "), 17))}</text>'
            yield f'<text class="soft" x="14" y="{top + 38}">{more}</text>'
        for (_, track), y in self.tracks.items():
            yield f'<text class="soft" x="186" y="{y + 21}" text-anchor="end">{_TRACKS[track]}</text>'

    def _y(self, box: BoxEntry) -> int:
        return self.tracks[box.path, box.track] + box.row * _ROW

    def _hue(self, box: BoxEntry) -> str:
        step = self.steps[box.steps[0]]
        if box.track == "sync" and step.event:
            return self.hues.get(step.event, _HUES[0])
        slot = box.slot if box.slot is not None else self.buffers.index(step.buffer) if step.buffer else 0
        return _HUES[slot % len(_HUES)]

    def _box(self, box: BoxEntry) -> str:
        step, y, hue = self.steps[box.steps[0]], self._y(box), self._hue(box)
        x, width = _LEFT + box.start * _UNIT, max((box.end - box.start) * _UNIT - 3, 8)
        plain = "" if step.event or box.slot is not None or box.track != "sync" else " plain"
        inner = []
        if box.start > box.waits:
            inner.append(
                f'<rect class="stand" x="{_LEFT + box.waits * _UNIT}" y="{y + 6}" rx="4" stroke="{hue}"'
                f' width="{(box.start - box.waits) * _UNIT}" height="{_TALL - 12}"/>'
            )
        radius = 9 if box.track == "sync" else 5
        frame = f'x="{x}" y="{y}" width="{width}" height="{_TALL}" rx="{radius}"'
        inner.append(f'<rect class="under" {frame}/><rect class="shape" {frame} fill="{hue}" stroke="{hue}"/>')
        lines = self._words(box, step, width)
        for line, text in enumerate(lines):
            down = 21 if len(lines) == 1 else 14 + 13 * line
            inner.append(f'<text x="{x + width // 2}" y="{y + down}">{escape(text)}</text>')
        kind = f"box {box.track} {box.op}{plain}{' stuck' if box.stuck else ''}"
        return f'<g class="{kind}"><title>{escape(step.text)}</title>{"".join(inner)}</g>'

    def _words(self, box: BoxEntry, step: StepEntry, width: int) -> list[str]:
        """One or two lines that fit."""
        shape = self.shapes.get(step.event or step.buffer, ())
        slot = "" if step.event and not shape else subscripts(box.slot, shape)
        turn = next((f"{name} = {value}" for name, value in reversed(list(step.iteration.items()))), "")
        if box.track == "sync":
            first = _fitting(width, box.op, _SHORT.get(box.op, box.op[:4]))
            second = _fitting(width, box.label if step.event else "", slot)
        else:
            first, second = _fitting(width, f"{box.op} {slot}".strip(), box.op, box.op[0]), _fitting(width, turn)
        return [text for text in (first, second) if text]

    def _arrow(self, arrow: Arrow) -> str:
        home = {number: box for box in self.picture.boxes for number in (*box.steps, *box.lands)}
        source, target = home.get(arrow.source), home.get(arrow.target)
        if source is None or target is None:
            return ""
        down = self._y(target) > self._y(source)
        x1, x2 = _LEFT + source.end * _UNIT - 13, _LEFT + target.end * _UNIT - _UNIT // 2
        y1, y2 = self._y(source) + (_TALL if down else 0), self._y(target) + (0 if down else _TALL)
        bend = (y2 - y1) // 2 or -24
        hue, side = self.hues.get(arrow.event, _HUES[0]), -7 if down else 7
        return (
            f'<path class="arrow" stroke="{hue}" d="M{x1} {y1} C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"/>'
            f'<path fill="{hue}" opacity=".75" d="M{x2} {y2} l-4 {side} h8 z"/>'
        )


def _fitting(width: int, *texts: str) -> str:
    return next((text for text in texts if len(text) * 6.4 + 4 <= width + 4), "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
