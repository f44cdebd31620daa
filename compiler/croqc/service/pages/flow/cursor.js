// What stands under the cursor of an editor: its visits, where each path can stand then, credits, copies in the air.
// Told by `croqtile/flowAt` through the host; the plain page has no cursor.
let cursor = null, visit = null;

// `told`: the answer for the cursor. The moment moves there too, unless it is at that statement already.
function showCursor(told) {
  cursor = told;
  $("under").classList.remove("walked");
  const own = told.visits, fits = f => !own.length || sameRange(f.steps[own[0].step]?.range, told.range);
  const kernel = result.flows.findIndex(f => isOf(f, told) && fits(f));
  if (kernel >= 0 && result.flows[kernel] !== flow) choose(kernel);
  const now = run?.picture.moments[at - 1], step = now && run.steps[now.step];
  const here = Boolean(step && told.range && sameSpot(step.range, told.range));
  const last = here ? step : visit;
  visit = own.find(v => last && sameTurn(v, last)) ?? own.find(v => last && agree(v.iteration, last.iteration)) ?? own[0] ?? null;
  if (run && told.range && !here) goTo(visit);
  drawCursor();
}
const before = (a, b) => a.line < b.line || (a.line === b.line && a.character <= b.character);
const holds = (a, b) => before(a.start, b.start) && before(b.end, a.end);
const sameRange = (a, b) => Boolean(a && b) && holds(a, b) && holds(b, a);
// A statement, or the operand of it that a step is of.
const sameSpot = (a, b) => holds(a, b) || holds(b, a);
// A recorded step knows fewer variables than a step of the proof.
const agree = (a, b) => Object.entries(a).every(([k, v]) => !(k in b) || b[k] === v);
const sameTurn = (a, b) => a.path === b.path && agree(a.iteration, b.iteration);

// To the moment of a visit in the run that is shown, else to the first one at its statement.
function goTo(wanted) {
  const moments = run.picture.moments, stepOf = m => run.steps[m.step];
  const there = moments.map(stepOf).filter(s => s.op !== "land" && sameSpot(s.range, cursor.range));
  const exact = run === flow && wanted ? run.steps[wanted.step] : undefined;
  const found = exact ?? there.find(s => wanted && sameTurn(s, wanted)) ?? there[0];
  if (found) go(1 + moments.findLastIndex(m => stepOf(m) === found));
}
function drawCursor() {
  $("cursor").hidden = false;
  const say = text => $("cursor").replaceChildren(make("h2", { textContent: "At the cursor" }), make("p", { className: "none", textContent: text }));
  if (!cursor.function) return say("The cursor is outside of the kernels.");
  if (!visit && cursor.range) return say("The moment above is the first one at this statement. Where each path can stand is told of kernels without a finding.");
  if (!visit) return say("Put the cursor on a wait, trigger, copy or multiply: then this shows where each path can stand, and what it holds.");
  const text = make("p", { className: "at", textContent: `${visit.text}.` });
  $("cursor").replaceChildren(make("h2", { textContent: "At the cursor" }), text, visits(), standsTable(), holdings());
}
// A row a path that comes here, a button each time: named by the variables that tell the times apart, else counted.
function visits() {
  const all = cursor.visits, paths = [...new Set(all.map(v => v.path))];
  const varies = name => new Set(all.map(v => v.iteration[name])).size > 1;
  const rows = paths.map(path => {
    const own = all.filter(v => v.path === path), head = paths.length > 1 ? [make("span", { textContent: bare(path) })] : [];
    return make("div", { className: "tabs" }, ...head, ...own.map((v, i) => {
      const turn = turns(Object.fromEntries(Object.entries(v.iteration).filter(([name]) => varies(name))));
      const it = make("button", { textContent: turn || (own.length > 1 ? `time ${i + 1}` : "once"), onclick: () => visitOf(v) });
      if (paths.length > 1) it.setAttribute("aria-label", `${it.textContent}, ${path}`);
      it.setAttribute("aria-pressed", v === visit);
      return it;
    }));
  });
  const group = make("div", { className: "visits" }, ...rows);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Which time");
  return group;
}
function visitOf(v) {
  visit = v;
  goTo(v);
  drawCursor();
  $("cursor").querySelector("[aria-pressed=true]").focus({ preventScroll: true });
}
function standsTable() {
  const rows = [...visit.paths].sort((a, b) => rank(a.path) - rank(b.path)).map(p => {
    const own = p.path === visit.path, name = make("th", { scope: "row", textContent: bare(p.path) });
    const cells = own ? [make("td", { colSpan: 2, textContent: "stands here" })] : [stand(p.earliest, p.path), stand(p.latest, p.path)];
    return make("tr", { className: own ? "own" : "" }, name, ...cells);
  });
  const heads = ["path", "at the earliest", "at the latest"].map(t => make("th", { scope: "col", textContent: t }));
  return make("table", { className: "stands" }, make("caption", { textContent: "Where each path can stand then, in any order" }), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}
function stand(s, path) {
  if (!s.range) return make("td", { textContent: s.text });
  const text = s.text.startsWith(`${path} `) ? s.text.slice(path.length + 1) : s.text;
  return make("td", {}, lineButton(s.range), ` ${[turns(s.iteration), text].filter(Boolean).join(": ")}`);
}
function holdings() {
  const inside = visit.barrier ? [make("div", {}, make("h3", { textContent: "The mbarrier's inside" }), cell(cellKey(visit.barrier), visit.barrier, visit.barrier))] : [];
  const credits = visit.credits.length ? [make("div", {}, make("h3", { textContent: "Credits a slot" }), creditTable())] : [];
  const flying = visit.buffers.map(b => make("li", {}, make("code", { textContent: slotName(b.buffer, b.slot) }), ` by ${bare(b.path)}, `, lineButton(b.range)));
  const air = flying.length ? make("ul", {}, ...flying) : make("p", { className: "none", textContent: "No copy is in the air." });
  return make("div", { className: "holds" }, ...inside, ...credits, make("div", {}, make("h3", { textContent: "Buffers in flight" }), air));
}
// A row an event and waiting path, a column a slot.
function creditTable() {
  const slots = [...new Set(visit.credits.map(c => c.slot))].sort((a, b) => a - b);
  const rows = new Map();
  for (const c of visit.credits) rows.set(`${c.event}|${c.path}`, [...(rows.get(`${c.event}|${c.path}`) ?? []), c]);
  const body = [...rows.values()].map(own => {
    const head = make("th", { scope: "row" }, make("code", { textContent: own[0].event }), ` for ${bare(own[0].path)}`);
    const cells = slots.map(s => {
      const n = own.find(c => c.slot === s)?.credits, dots = n <= 4 ? [...Array(n)].map(() => make("i", { className: "dot in" })) : [];
      return make("td", {}, ...dots, n === undefined ? "" : `${n}`);
    });
    const tr = make("tr", {}, head, ...cells);
    tr.style.setProperty("--hue", eventHue(own[0].event));
    return tr;
  });
  const shapes = new Set(visit.credits.map(c => shapeOf(c.event).join())), shape = shapes.size === 1 ? shapeOf(visit.credits[0].event) : [];
  const heads = ["", ...slots.map(s => subscripts(s, shape))].map(t => make("th", { scope: "col", textContent: t }));
  return make("div", { className: "wide" }, make("table", { className: "credits" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body)));
}
