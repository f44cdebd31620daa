// A recorded block: the verdict over it, and the table of where its time goes. Times are nanoseconds.
const PLACES = [
  ["place", "line"], ["place", "place"], ["visits", "visits"], ["time", "µs in all"], ["share", "of the path's time"],
  ["time", "median ns"], ["time", "longest ns"],
];

function showRecorded() {
  const tries = run.tries?.length ? [make("ul", {}, ...run.tries.map(t => make("li", { textContent: `Try ${t}` })))] : [];
  const about = clock ? [make("div", { className: "recorded card" }, make("p", {}, make("b", { textContent: run.verdict })), ...tries, make("p", { textContent: run.about }))] : [];
  $("recorded").replaceChildren(...about);
}
function placeTables() {
  const paths = [...new Set(run.places.map(p => p.path))];
  return paths.map(path => {
    const own = run.places.filter(p => p.path === path).sort((a, b) => b.total - a.total);
    return table(["Where the time of ", make("code", { textContent: path }), " goes"], PLACES, own.map(placeRow));
  });
}
function placeRow(p) {
  const share = make("td", { className: "share" }, make("span", { className: "tx" }, make("i", {})), `${Math.round(100 * p.share)} %`);
  share.querySelector("i").style.width = `${100 * p.share}%`;
  const word = WORDS[p.op] ?? p.op, what = p.event || (p.leaves ? `out of ${p.buffer}` : p.buffer);
  const numbers = [p.count, (p.total / 1000).toFixed(2)], more = [p.median.toLocaleString("en"), p.longest.toLocaleString("en")];
  const cells = [...numbers.map(v => make("td", { textContent: v })), share, ...more.map(v => make("td", { textContent: v }))];
  return make("tr", {}, make("td", {}, lineButton(p.range)), make("td", { className: "mono", textContent: `${word} ${what}`.trim() }), ...cells);
}
