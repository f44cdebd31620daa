// The inside of each mbarrier or buffer at the moment that is shown, what a field means, the tables of the waits.
const cellKey = c => slotName(c.event, c.slot);
const standing = w => `${bare(w.path)} (needs ${w.generation})`;

function state(n) {
  const cells = new Map(run.picture.start.map(c => [cellKey(c), c]));
  for (const m of run.picture.moments.slice(0, n)) for (const c of m.cells) cells.set(cellKey(c), c);
  return cells;
}
function showCells(m) {
  const now = state(at), before = state(at - 1), touched = new Set((m ? m.cells : []).map(cellKey));
  $("inside").textContent = now.size ? "Inside each mbarrier at this moment" : "The buffers at this moment";
  if (!now.size) { $("cells").replaceChildren(...buffers()); return; }
  const slots = Math.max(...flow.events.map(e => e.slots)); // a row an event where that fits
  $("cells").style.gridTemplateColumns = slots === 2 || slots === 3 ? `repeat(${slots}, minmax(0, 1fr))` : "";
  const keep = document.activeElement?.dataset?.field;
  const shownCells = [...now].slice(0, 64);
  $("cells").replaceChildren(...shownCells.map(([key, c]) => {
    const it = cell(key, c, before.get(key) ?? c);
    it.classList.toggle("touched", touched.has(key));
    it.dataset.cell = key;
    return it;
  }));
  if (keep) $("cells").querySelector(`[data-field="${CSS.escape(keep)}"]`)?.focus({ preventScroll: true });
}
function cell(key, c, old) {
  const field = (what, cls, name, inner, was, said) => {
    const props = { className: `field ${cls} ${was ? "changed" : ""}`, onclick: () => mean(what, key) };
    const it = make("button", props, ...(name ? [make("small", { textContent: name })] : []), inner);
    it.dataset.field = `${key} ${what}`;
    it.setAttribute("aria-label", `${key} ${said}`);
    return it;
  };
  const flip = make("span", { className: "flip" }, ...[0, 1].map(b => make("span", { className: b === c.parity ? "on" : "", textContent: b })));
  const dots = c.arrivals <= 8 ? [...Array(c.arrivals)].map((_, i) => make("i", { className: i < c.arrivals - c.pending ? "dot in" : "dot" })) : [];
  const own = run.picture.moments.flatMap(m => m.cells.filter(x => x.event === c.event && x.slot === c.slot));
  const bar = make("i", {});
  bar.style.width = `${100 * c.bytes / Math.max(1, ...own.map(x => x.bytes))}%`;
  const who = c.waiting.map(standing).join("; "), was = old.waiting.map(standing).join("; ");
  const air = make("span", {}, make("span", { className: "tx" }, bar), `${c.bytes.toLocaleString("en")} bytes`);
  const missing = `${c.pending} of ${c.arrivals}`;
  const top = make("div", { className: "top" },
    field("event", "", "", key, false, "event slot"),
    field("parity", "flip-field", "", flip, c.parity !== old.parity, `parity ${c.parity}`));
  const it = make("div", { className: "card cell" }, top,
    field("phase", "row", "phase", make("span", { textContent: `${c.completed}` }), c.completed !== old.completed, `phase ${c.completed}`),
    field("pending", "row", "arrivals", make("span", {}, ...dots, ` ${missing} pending`), c.pending !== old.pending, `${missing} arrivals pending`),
    field("bytes", "row", "tx-count", air, c.bytes !== old.bytes, `${c.bytes} bytes outstanding`),
    field("waiting", "row", "waits", make("span", { textContent: who || "nobody", title: who }), who !== was, `waiting: ${who || "nobody"}`));
  it.style.setProperty("--hue", eventHue(c.event));
  return it;
}
// A kernel without events orders its copies by waiting on them: show what each buffer holds instead.
function buffers() {
  const nameOf = s => slotName(s.buffer, s.slot);
  const held = new Map(run.steps.filter(s => s.buffer).map(s => [nameOf(s), ["empty", "", ""]]));
  for (const m of run.picture.moments.slice(0, at)) {
    const s = run.steps[m.step], turn = turns(s.iteration).split(", ").at(-1) || "the first tile";
    const [, tile] = held.get(nameOf(s)) ?? [];
    const state = {
      copy: ["being filled", turn], write: ["written", turn], land: ["full", tile],
      multiply: ["being read", tile], read: ["being read", tile], "wait-future": ["full", tile],
    }[s.leaves && s.op === "copy" ? "read" : s.op];
    if (!m.begins && s.buffer && state) held.set(nameOf(s), [...state, s.op, m.step]);
  }
  const last = run.picture.moments[at - 1];
  const row = (name, value, what) => make("button", { className: "field row", onclick: () => mean(what) }, make("small", { textContent: name }), make("span", { textContent: value }));
  const cards = [...held].map(([key, [state, tile, what, step]], i) => {
    const top = make("div", { className: "top" }, make("span", { className: "mono", textContent: key }));
    const it = make("div", { className: `card cell ${last && step === last.step ? "touched" : ""}` }, top, row("state", state, what || "slot"), row("tile of", tile || "–", "iteration"));
    it.style.setProperty("--hue", slotHue(i));
    it.dataset.cell = key;
    return it;
  });
  const none = flow.reason || "No step of this kernel touches a stage buffer.";
  return cards.length ? cards : [make("p", { className: "card none", textContent: none })];
}
function mean(what, key = null) {
  shown = [what, key];
  showMeaning();
}
function showMeaning() {
  const [what, key] = shown, [title, text] = MEANINGS[what] ?? MEANINGS.event, c = key && state(at).get(key);
  const here = c && meaningHere(what, key, c);
  $("meaning").replaceChildren(
    make("h2", { textContent: "What it means" }), make("h3", { textContent: title }), make("p", { textContent: text }),
    ...(here ? [make("p", { className: "here", textContent: here })] : []));
}
// The same of one mbarrier at this moment.
function meaningHere(what, key, c) {
  const e = flow.events.find(x => x.name === c.event), names = sites => [...new Set(sites.map(s => bare(s.called)))].join(", ") || "nobody";
  const by = e ? names(e.triggeredBy) : "nobody", count = (n, one, more) => `${n} ${n === 1 ? one : more}`;
  const waits = w => `${w.path} stands at ${key} and needs generation ${w.generation} (parity ${w.generation & 1}); ${c.completed} ${c.completed === 1 ? "is" : "are"} complete.`;
  switch (what) {
    case "phase": return `${key} is in phase ${c.completed}: ${c.completed} completed so far.`;
    case "parity": return `${key} is in phase ${c.completed}, so its parity is ${c.parity}. A wait for parity ${c.parity ^ 1} would pass, a wait for parity ${c.parity} would stand.`;
    case "pending": return `${count(c.arrivals, "path", "paths")} must report to ${key} in each phase (${by === "nobody" ? "nobody does" : by}); ${count(c.pending, "is", "are")} missing now.`;
    case "bytes": return c.bytes ? `${c.bytes.toLocaleString("en")} bytes are announced on ${key} and have not landed yet.` : `Nothing is in the air for ${key} now.`;
    case "waiting": return c.waiting.map(waits).join(" ") || `Nobody stands at ${key} now.`;
    case "event": return e && `${e.name} has ${count(e.slots, "slot", "slots")}. Given by ${by}; waited for by ${names(e.waitedBy)}. ${e.credits ? `${count(e.credits, "credit is", "credits are")} given at the start.` : "No credits are given at the start."}`;
  }
}
const COLUMNS = [
  ["iteration", "iteration"], ["slot", "slot"], ["generation", "generation"], ["parity", "parity waited for"],
  ["after", "parity after completion"], ["phaseBit", "path's phase bit after"], ["credit", "credits left"],
];
function table(caption, columns, rows) {
  const heads = columns.map(([what, name]) => make("th", { scope: "col" }, make("button", { textContent: name, tabIndex: 0, onclick: () => mean(what) })));
  return make("div", { className: "card" }, make("table", {}, make("caption", {}, ...caption), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}
// Paths whose rows are the same share a table.
function waitTables() {
  return flow.events.flatMap(e => {
    const found = new Map();
    for (const t of e.tables.filter(t => t.rows.length)) {
      const key = JSON.stringify(t.rows);
      found.set(key, { rows: t.rows, paths: [...(found.get(key)?.paths ?? []), t.path] });
    }
    return [...found.values()].map(t => table([make("code", { textContent: `wait ${e.name}` }), ` in ${t.paths.join(", ")}`], COLUMNS, t.rows.map(r => waitRow(e, t.paths, r))));
  });
}
function waitRow(e, paths, r) {
  const slot = e.shape.length < 2 ? r.slot : subscripts(r.slot, e.shape);
  const values = [turns(r.iteration), slot, r.generation, r.waited, r.after, r.phaseBit, r.credits];
  const tr = make("tr", {}, ...values.map(v => make("td", { textContent: v })));
  tr.dataset.row = [e.name, r.slot, r.generation].join("|");
  tr.dataset.paths = paths.join("|");
  return tr;
}
function mark(step) {
  for (const tr of document.querySelectorAll("tr.now")) tr.classList.remove("now");
  if (!step || step.op !== "wait") return;
  const key = CSS.escape([step.event, step.slot, step.generation].join("|"));
  const rows = [...document.querySelectorAll(`tr[data-row="${key}"]`)];
  rows.find(tr => tr.dataset.paths.split("|").includes(step.path))?.classList.add("now");
}
