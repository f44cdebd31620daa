// What is shown: a kernel (`flow`), one of its runs (`run`), a moment of it (`at`); how a choice is kept over new data.
const narrow = matchMedia("(max-width: 760px)");
let result, flow, run, at = 0, nominal = 38, unit = nominal, clock = false, shown = null, timer = 0;

// `keep` is a place as `placeNow` tells it, or a part of one. `live`: the data before was shown until now.
function load(data, keep, live) {
  const before = live ? flow : undefined;
  result = data;
  const named = result.flows.map((f, i) => [f, i]).filter(([f]) => f.function === keep?.function);
  const meant = named.filter(([f]) => f.overload === keep?.overload), own = (meant.length ? meant : named).map(([, i]) => i);
  const lost = result.flows.findIndex(f => !f.function && !f.paths.length); // its name does not parse just now
  const failing = Math.max(0, result.flows.findIndex(f => f.verdict === "fails"));
  const index = own[keep?.kernel ?? 0] ?? own[0] ?? (before && lost >= 0 ? lost : failing);
  const now = result.flows[index], broken = before && now && !now.paths.length && before.paths.length;
  if (broken) result = { ...result, flows: result.flows.with(index, before) };
  $("kernel").replaceChildren(...result.flows.map((f, i) => make("option", { value: i, textContent: titleOf(f) })));
  $("pick").hidden = result.flows.length < 2;
  choose(index, keep);
  if (broken) note(`This is the flow of the text before: ${now.reason}`, true, now.place);
  else if (before?.recorded?.length && !flow?.recorded?.length) note("The measured times were those of the text before the edit.", false);
}
function placeNow() {
  if (!flow) return null;
  const m = run.picture.moments[at - 1], kernel = result.flows.filter(f => isOf(f, flow)).indexOf(flow);
  return { function: flow.function, overload: flow.overload, kernel, run: nameOf(run), at, step: m ? identity(m) : null };
}
const isOf = (f, other) => f.function === other.function && f.overload === other.overload;
// Functions of one name are counted.
const titleOf = f => result.flows.some(other => other.function === f.function && other.overload !== f.overload) ? `${f.function} (${f.overload + 1})` : f.function;
const nameOf = r => r === flow ? "" : r.code ? `${r.code} ${flow.findings.filter(f => f.code === r.code).indexOf(r)}` : r.name;
// A step by what it is, not by its number or line, which an edit moves.
function identity(m) {
  const s = run.steps[m.step];
  return JSON.stringify([s.path, s.op, s.event, s.buffer, s.slot, s.generation, s.iteration, m.begins]);
}
function choose(index, keep) {
  flow = result.flows[index];
  if (!flow) { nothing(); return; }
  document.body.classList.remove("empty");
  $("kernel").value = index;
  $("title").textContent = titleOf(flow) || "Credit flow";
  document.title = `${titleOf(flow)}: ${flow.strength}`;
  $("badge").textContent = flow.strength;
  $("badge").className = `badge ${flow.verdict}`;
  const covers = `${flow.scope || "of the order of paths, events and copies"}; not of races between threads inside one path`;
  $("covers").textContent = ["proved", "checked"].includes(flow.verdict) ? covers : "";
  $("file").textContent = `${flow.path.split(/[\\/]/).pop()}:${flow.range.start.line + 1}`;
  $("findings").replaceChildren(...flow.findings.map(tell));
  const known = runs().find(([r]) => nameOf(r) === keep?.run && r.steps.length);
  start(known ? known[0] : first(), known && keep);
}
function nothing() {
  run = undefined;
  document.body.classList.add("empty");
  $("title").textContent = document.title = "Credit flow";
  $("badge").textContent = "no kernel here";
  $("badge").className = "badge unknown";
  for (const id of ["covers", "file", "findings", "runs", "recorded", "overlap"]) $(id).replaceChildren();
}
// Recorded blocks of a card, the run of the proof, the counterexamples; each with its title.
function runs() {
  return [...(flow.recorded ?? []).map(r => [r, r.name]), [flow, "A run"], ...flow.findings.map(f => [f, `Counterexample: ${f.code}`])];
}
const first = () => flow.recorded?.[0] ?? (flow.findings[0]?.steps.length ? flow.findings[0] : flow);
function tell(f) {
  const story = f.related.map(r => make("li", {}, lineButton(r.range), `: ${r.message}`));
  const place = make("p", {}, make("b", { textContent: f.code }), " in ", lineButton(f.range), `: ${f.message}`);
  return make("div", { className: "finding" }, place, story.length ? make("ol", {}, ...story) : null);
}
function start(which, keep) {
  run = which;
  clock = Boolean(flow.recorded?.includes(run));
  nominal = clock ? scale(run.picture) : 38;
  unit = nominal;
  $("runs").replaceChildren(...runs().filter(([r]) => r.steps.length).map(([r, name]) => {
    const tab = make("button", { textContent: turns(r.sizes) ? `${name} (${turns(r.sizes)})` : name, onclick: () => start(r) });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", r === run);
    return tab;
  }));
  $("time").max = run.picture.moments.length;
  shown = flow.events.length ? ["event", null] : ["overlap", null];
  $("unit").textContent = clock ? "Times are the card's." : "Times are a plausible order, not cycles.";
  showRecorded();
  showOverlap();
  $("tables").replaceChildren(...(clock ? placeTables() : waitTables()));
  layOut();
  go(opening(keep));
}
// The number of the moment to open at: that of the step that was shown, else where it goes wrong.
function opening(keep) {
  const moments = run.picture.moments;
  if (keep?.step) {
    const same = moments.findIndex(m => identity(m) === keep.step);
    return same < 0 ? keep.at : same + 1;
  }
  if (keep?.at === 0 || !flow.findings.includes(run)) return 0;
  return 1 + moments.findLastIndex(m => m.step === run.step) || moments.length;
}
// Pixels a nanosecond: some sixty boxes in sight.
function scale(p) { return Math.max(p.boxes.length, 60) * 18 / p.length; }
function showOverlap() {
  $("overlap").replaceChildren();
  if (clock) return; // nobody sees a copy land
  const busy = track => {
    const found = new Set();
    for (const b of run.picture.boxes) if (b.track === track) for (let t = b.start; t < b.end; t++) found.add(t);
    return found;
  };
  const copy = busy("copy"), work = busy("work");
  if (!copy.size || !work.size) return;
  const share = Math.round(100 * [...work].filter(t => copy.has(t)).length / work.size);
  const text = share < 10 ? `staircase: ${share} % overlap` : `${share} % of the work overlaps copies`;
  $("overlap").append(make("button", { className: "fact", textContent: text, onclick: () => mean("overlap") }));
}
// A move by hand: until the cursor of the editor moves, what stands at this step comes before what stands under it.
function walk(n) {
  $("under").classList.add("walked");
  go(n);
}
function go(n) {
  const moments = run.picture.moments;
  at = Math.min(Math.max(n, 0), moments.length);
  const m = moments[at - 1], step = m && run.steps[m.step], time = m ? m.time : 0;
  const begun = new Set(moments.slice(0, at).map(x => x.step)), done = new Set(moments.slice(0, at).filter(x => !x.begins).map(x => x.step));
  $("time").value = at;
  $("count").textContent = `${at} of ${moments.length}`;
  $("time").setAttribute("aria-valuetext", step ? step.text : "before the first step");
  const x = 10 + time * unit - 1.5;
  $("playhead").setAttribute("transform", `translate(${x} 0)`);
  let focus = null;
  for (const [g, b] of boxes) {
    const now = step && (b.steps.includes(m.step) || b.lands.includes(m.step));
    if (now) focus = g;
    g.classList.toggle("now", Boolean(now));
    g.classList.toggle("later", at > 0 && !b.steps.some(s => begun.has(s))); // the first look is at all of it
    g.setAttribute("tabindex", -1);
  }
  (focus ?? boxes[0]?.[0])?.setAttribute("tabindex", 0);
  if (document.activeElement?.closest?.(".box") && focus) focus.focus({ preventScroll: true });
  for (const [it, a] of arrows) {
    it.classList.toggle("now", Boolean(step) && (a.source === m.step || a.target === m.step));
    it.classList.toggle("later", at > 0 && !done.has(a.source));
  }
  const view = $("scroll");
  if (x < view.scrollLeft + 60 || x > view.scrollLeft + view.clientWidth - 120) view.scrollLeft = Math.max(0, x - view.clientWidth * .45);
  showStep(m, step);
  showCells(m);
  mark(step);
  showMeaning();
  remember(step);
}
function goToLine(line) {
  const i = run.picture.moments.findIndex(m => run.steps[m.step].range.start.line === line);
  if (i >= 0) go(i + 1);
}
function showStep(m, step) {
  $("say").textContent = sentence(m, step);
  $("say").classList.toggle("wrong", Boolean(step) && run.step === m.step);
  showLine(step);
  const fact = (what, name, value) => make("button", { className: "fact", onclick: () => mean(what) }, `${name} `, make("b", { textContent: value }));
  const facts = step ? [fact("path", "path", bare(step.path)), ...(clock ? [fact("time", "at", micro(m.time))] : []), ...Object.entries(step.iteration).map(([k, v]) => fact("iteration", `${k} =`, v))] : [];
  if (step && step.slot !== null && !isSingle(step.event)) facts.push(fact("slot", "slot", step.slot));
  if (step && step.generation !== null) facts.push(fact("generation", "generation", step.generation), fact("parity", "parity", step.generation & 1));
  $("facts").replaceChildren(...facts);
}
function sentence(m, step) {
  if (!step) return `Before the first step: ${flow.events.length ? "every mbarrier has just been set up" : "nothing has been copied yet"}.`;
  if (m.begins && run.picture.boxes.some(b => b.stuck && b.steps.includes(m.step))) return `${step.text}. Nobody will complete it: the path is stuck for ever.`;
  if (m.begins) return `${step.text}, and has to stand.`;
  return step.op === "wait" ? `${step.text}. It is complete: the path goes on.` : `${step.text}.`;
}
function showLine(step) {
  const line = step && flow.lines.find(l => l.line === step.range.start.line), src = $("src");
  src.style.visibility = line ? "visible" : "hidden";
  if (!line) { src.replaceChildren("\u00a0"); return; }
  const { start, end } = step.range, lead = line.text.length - line.text.trimStart().length;
  const to = end.line === line.line ? end.character : line.text.length;
  const marked = make("mark", { textContent: line.text.slice(start.character, to) });
  src.replaceChildren(make("i", { textContent: line.line + 1 }), make("span", {}, line.text.slice(Math.min(lead, start.character), start.character), marked, line.text.slice(to)));
  src.onclick = () => reveal(step.range);
  src.setAttribute("aria-label", `Line ${line.line + 1}: ${line.text.trim()}`);
}
