// Keys and buttons; then the data is shown.
function play() {
  if (timer) {
    clearInterval(timer);
    timer = 0;
  } else {
    if (at >= run.picture.moments.length) walk(0);
    timer = setInterval(() => { walk(at + 1); if (at >= run.picture.moments.length) play(); }, 650);
  }
  $("play").textContent = timer ? "⏸" : "▶";
  $("play").setAttribute("aria-label", timer ? "Pause" : "Play");
}
function zoom(by) {
  unit = clock ? Math.min(nominal * 40, Math.max(nominal / 40, unit * by)) : Math.min(72, Math.max(14, Math.round(unit * by)));
  redraw();
}
function redraw() {
  if (!run) return;
  layOut();
  go(at);
}
$("first").onclick = () => walk(0);
$("back").onclick = () => walk(at - 1);
$("next").onclick = () => walk(at + 1);
$("play").onclick = play;
$("less").onclick = () => zoom(1 / 1.25);
$("more").onclick = () => zoom(1.25);
$("time").oninput = e => walk(Number(e.target.value));
$("kernel").onchange = e => choose(Number(e.target.value));
document.addEventListener("keydown", e => {
  if (!run || e.ctrlKey || e.metaKey || e.altKey || ["SELECT", "TEXTAREA"].includes(e.target.tagName)) return;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: run.picture.moments.length }[e.key];
  if (to !== undefined) { e.preventDefault(); walk(to); }
  else if (e.key === " " && e.target.tagName !== "BUTTON") { e.preventDefault(); play(); }
  else if (e.key === "+" || e.key === "-") zoom(e.key === "+" ? 1.25 : 1 / 1.25);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
new MutationObserver(paint).observe(document.body, { attributeFilter: ["class"] });
narrow.addEventListener("change", redraw);
addEventListener("message", e => hear(e.data));
paint();
load(JSON.parse($("data").textContent), remembered() ?? asked());
host?.postMessage({ type: "ready" });
