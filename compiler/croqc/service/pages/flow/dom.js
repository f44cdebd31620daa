// What the other parts are made with: elements, colours, the theme. Knows nothing of credit flow.
const $ = id => document.getElementById(id);
const make = (tag, props, ...inner) => {
  const it = Object.assign(document.createElement(tag), props);
  it.append(...inner.filter(x => x !== null));
  return it;
};
const draw = (tag, attrs, ...inner) => {
  const it = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attrs)) it.setAttribute(k, v);
  it.append(...inner);
  return it;
};
const HUES = [255, 55, 150, 330, 200, 95, 20, 290];
const hue = n => `oklch(var(--tone) 0.14 ${HUES[n % HUES.length]})`;
const eventHue = name => hue(flow.events.findIndex(e => e.name === name) + 4);
const slotHue = slot => hue(slot ?? 0);
const micro = ns => `${(ns / 1000).toLocaleString("en", { maximumFractionDigits: 3 })} µs`;
const turns = iteration => Object.entries(iteration).map(([k, v]) => `${k} = ${v}`).join(", ");
const bare = path => path.replace(/^path /, "");
const shapeOf = name => [...flow.events, ...flow.buffers].find(one => one.name === name)?.shape ?? [];
// Slots of an array of several dimensions are numbered row by row.
const subscripts = (slot, shape) => shape.length < 2 ? `[${slot}]` : shape.reduceRight(([text, rest], n) => [`[${rest % n}]${text}`, Math.floor(rest / n)], ["", slot])[0];
const isSingle = name => flow.events.some(e => e.name === name && !e.shape.length); // an event that is no array
const slotName = (name, slot) => slot === null || isSingle(name) ? name : name + subscripts(slot, shapeOf(name));

// A host says by a class of the body which theme it has (high contrast light bears two); elsewhere the browser knows.
function paint() {
  const has = (...names) => names.some(name => document.body.classList.contains(name));
  const light = has("vscode-light", "vscode-high-contrast-light"), dark = has("vscode-dark", "vscode-high-contrast");
  const night = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = light || (!dark && !night) ? "light" : "dark";
}
