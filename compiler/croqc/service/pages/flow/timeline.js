// The lanes of the paths over time: boxes, arrows, names, the legend. Reads `flow`, `run`, `unit`; see state.js.
const TRACKS = ["sync", "copy", "work"], ROW = 42, TALL = 34, PAD = 9;
const TRACK_NAMES = { sync: "events", copy: "copies", work: "work" };
const WORDS = { "wait-future": "wait", bootstrap: "give" };
const SHORT = { trigger: "trig", commit: "✓" };
let boxes = [], arrows = [];

// Paths in the order of the source; the block itself behind them.
const rank = name => { const i = flow.paths.findIndex(one => one.name === name); return i < 0 ? 1e3 : i; };
function lanes() {
  let y = 26;
  return [...run.picture.lanes].sort((a, b) => rank(a) - rank(b)).map(name => {
    const own = run.picture.boxes.filter(b => b.path === name), top = y, tracks = {};
    for (const track of TRACKS) {
      const rows = 1 + Math.max(-1, ...own.filter(b => b.track === track).map(b => b.row));
      if (rows) { tracks[track] = y + PAD; y += rows * ROW; }
    }
    y = Math.max(y + 2 * PAD, top + 66);
    const lane = { name, top, height: y - top, tracks };
    y += 10;
    return lane;
  });
}
function layOut() {
  const p = run.picture, rows = lanes(), last = rows.at(-1), height = last ? last.top + last.height + 8 : 40;
  const side = narrow.matches ? 128 : 196;
  document.documentElement.style.setProperty("--side", `${side}px`);
  const width = Math.max(p.length * unit + 20, $("scroll").clientWidth);
  const names = draw("svg", { width: side, height, "aria-hidden": true });
  const svg = draw("svg", { width, height, role: "group", "aria-label": "Lanes of the paths over time" });
  const stripe = draw("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: "currentColor", "stroke-width": 1.2, opacity: .28 });
  const hatch = { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  svg.append(draw("defs", {}, draw("pattern", hatch, stripe)));
  ticks(svg, p.length, height);
  for (const lane of rows) drawLane(lane, names, svg, side, width);
  const yOf = b => rows.find(l => l.name === b.path).tracks[b.track] + b.row * ROW;
  const home = new Map(p.boxes.flatMap(b => [...b.steps, ...b.lands].map(step => [step, b])));
  boxes = []; arrows = [];
  for (const a of p.arrows) if (home.has(a.source) && home.has(a.target)) arrow(a, home.get(a.source), home.get(a.target), svg, yOf);
  p.boxes.forEach(b => svg.append(box(b, yOf(b))));
  const knob = draw("path", { class: "playknob", d: "M-6 4 h12 v7 l-6 7 l-6 -7 z" });
  svg.append(draw("g", { id: "playhead" }, draw("line", { class: "playhead", x1: 0, x2: 0, y1: 14, y2: height }), knob));
  $("names").replaceChildren(names);
  $("scroll").replaceChildren(svg);
  legend();
}
// The axis of a recorded run; the others have no unit.
function ticks(svg, length, height) {
  if (!clock) return;
  const steps = [1, 2, 5].flatMap(n => [...Array(7)].map((_, e) => n * 10 ** e)).sort((a, b) => a - b);
  const every = steps.find(n => n * unit >= 110);
  for (let t = 0; every && t <= length; t += every) {
    const x = 10 + t * unit;
    svg.append(draw("line", { class: "tick", x1: x, x2: x, y1: 18, y2: height }), draw("text", { class: "lane-more", x: x + 4, y: 14 }, micro(t)));
  }
}
function drawLane(lane, names, svg, side, width) {
  const path = flow.paths.find(one => one.name === lane.name);
  svg.append(draw("rect", { class: "lane", x: 0, y: lane.top, width, height: lane.height }));
  const more = path ? [`${path.threads} threads`, ...(path.ahead ? [`${path.ahead} ahead`] : [])] : [];
  const lines = narrow.matches ? more : [more.join(" · ")];
  names.append(
    draw("rect", { class: "lane", x: 0, y: lane.top, width: side, height: lane.height }),
    label(bare(lane.name), 12, lane.top + 20, "lane-name", side - 74),
    ...lines.map((text, i) => label(text, 12, lane.top + 36 + 15 * i, "lane-more", side - 60)));
  for (const [track, y] of Object.entries(lane.tracks)) {
    const middle = y + TALL / 2, word = track === "sync" && !flow.events.length ? "order" : TRACK_NAMES[track];
    svg.append(draw("line", { class: "rail", x1: 0, x2: width, y1: middle, y2: middle }));
    names.append(draw("text", { class: "track-name", x: side - 10, y: middle + 4, "text-anchor": "end" }, word));
  }
}
function label(text, x, y, cls, room) {
  const fits = Math.floor(room / (cls === "lane-name" ? 7.2 : 5.9));
  const cut = text.length > fits ? text.slice(0, Math.max(fits - 1, 1)) + "…" : text;
  return draw("text", { class: cls, x, y }, cut, ...(cut === text ? [] : [draw("title", {}, text)]));
}
function arrow(a, from, to, svg, yOf) {
  const x1 = 10 + from.end * unit - unit * .35, x2 = 10 + (to.end - .5) * unit, down = yOf(to) > yOf(from);
  const y1 = yOf(from) + (down ? TALL : 0), y2 = yOf(to) + (down ? 0 : TALL), bend = (y2 - y1) * .5 || 30;
  const above = from.path === to.path ? [y1 - 22, y2 - 22] : [y1 + bend, y2 - bend];
  const line = draw("path", { class: "arrow", d: `M${x1} ${y1} C${x1} ${above[0]} ${x2} ${above[1]} ${x2} ${y2}` });
  const head = draw("path", { class: "head", d: `M${x2} ${y2} l-4 ${(down ? -1 : 1) * 7} h8 z` });
  for (const one of [line, head]) {
    one.style.setProperty("--hue", eventHue(a.event));
    arrows.push([one, a]);
    svg.append(one);
  }
}
const fitting = (room, ...texts) => texts.find(t => t.length * 6.4 + 6 <= room) ?? "";
function box(b, y) {
  const step = run.steps[b.steps[0]], event = b.track === "sync" && step.event, x = 10 + b.start * unit;
  const w = clock ? Math.max((b.end - b.start) * unit - 1, 2) : Math.max((b.end - b.start) * unit - 3, 8);
  const plain = event || b.slot !== null || b.track !== "sync" ? "" : "plain", stuck = b.stuck ? "stuck" : "";
  const g = draw("g", { class: `box ${b.track} ${b.op} ${plain} ${stuck}`, role: "button", tabindex: -1, "aria-label": b.stuck ? `${step.text}: never completed` : step.text });
  g.style.setProperty("--hue", event ? eventHue(step.event) : slotHue(b.slot ?? slotOf(step)));
  if (b.start > b.waits) g.append(draw("rect", { class: "stand", x: 10 + b.waits * unit, y: y + 6, width: (b.start - b.waits) * unit, height: TALL - 12, rx: 4 }));
  g.append(draw("rect", { class: "shape", x, y, width: w, height: TALL, rx: b.track === "sync" ? 9 : 5 }));
  for (const m of b.lands.slice(0, -1).map(n => run.picture.moments.find(m => m.step === n)).filter(Boolean)) {
    const at = 10 + m.time * unit - 2;
    g.append(draw("line", { class: "land", x1: at, x2: at, y1: y + TALL - 9, y2: y + TALL - 1 }));
  }
  const [one, two] = texts(b, step, w);
  g.append(draw("text", { x: x + w / 2, y: y + (two ? 14 : 21), "text-anchor": "middle" }, one));
  if (two) g.append(draw("text", { x: x + w / 2, y: y + 27, "text-anchor": "middle" }, two));
  g.append(draw("title", {}, `${step.text}\n${b.label}`));
  const select = () => { walk(momentOf(b)); mean(MEANINGS[b.op] ? b.op : "path"); };
  g.addEventListener("click", select);
  g.addEventListener("keydown", e => { if (e.key === "Enter") { e.preventDefault(); select(); } });
  boxes.push([g, b]);
  return g;
}
// The two lines in a box, as long as there is room.
function texts(b, step, w) {
  const word = WORDS[b.op] ?? b.op, slot = b.slot === null || isSingle(step.event) ? "" : subscripts(b.slot, shapeOf(step.event));
  if (b.track === "sync") {
    const rest = b.label.startsWith(b.op) ? b.label.slice(b.op.length + 1) : b.label;
    return [fitting(w, word, SHORT[b.op] ?? word.slice(0, 4), word[0]), fitting(w + 4, rest, slot)];
  }
  const [name, turn] = Object.entries(step.iteration).at(-1) ?? [];
  const more = name ? [`${name} = ${turn}`, `${turn}`] : [b.track === "work" ? step.buffer : b.label, ""];
  return [fitting(w, b.slot === null ? word : `${word} slot ${b.slot}`, word, word[0]), fitting(w + 4, ...more)];
}
function slotOf(step) {
  const names = [...new Set(run.steps.map(s => s.buffer).filter(Boolean))];
  return Math.max(names.indexOf(step.buffer), 0);
}
function momentOf(b) {
  return 1 + run.picture.moments.findIndex(one => one.step === b.steps.at(-1) && (b.stuck || !one.begins));
}
function legend() {
  const key = (text, color, what, fill) => {
    const k = make("i", { className: "key" });
    k.style.borderColor = color;
    k.style.background = `color-mix(in oklab, ${color} ${fill}%, transparent)`;
    return make("button", { onclick: () => mean(what) }, k, text);
  };
  const slots = new Set(run.picture.boxes.filter(b => b.track !== "sync" && b.slot !== null).map(b => b.slot));
  const skipped = run.picture.skipped;
  $("legend").replaceChildren(
    ...flow.events.map(e => key(`event ${e.name}`, eventHue(e.name), "event", 30)),
    ...[...slots].sort((a, b) => a - b).slice(0, 8).map(s => key(`slot ${s}`, slotHue(s), "slot", 40)),
    ...(run.picture.arrows.length ? [make("button", { textContent: "⤵ a credit", onclick: () => mean("credit") })] : []),
    ...(skipped ? [`The first ${skipped} steps are not drawn.`] : []));
}
