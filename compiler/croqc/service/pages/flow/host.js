// What an editor around the page tells it and hears from it; without one, all of this does nothing.
// In:  {type: "flow", result, open, overload}  new data; `open` names a function to open anew, without it the place is kept
//      {type: "open", function, overload}      this kernel, of the data that is there; `overload`: of several of that name
//      {type: "at", told}            `croqtile/flowAt` of the cursor
//      {type: "note", text, stale}   words over the picture, of an older text where `stale`
//      {type: "document", uri}       which document this is: from here on it is remembered with the place
// Out: {type: "ready"}, {type: "reveal", range}, {type: "step", range} with null before the first step
const host = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;
let documentUri = "";

// The editor gives this back when the page is made again.
const remembered = () => host?.getState()?.place;
// The function that the address names, as in `#function=matmul&overload=1`.
function asked() {
  const fields = new URLSearchParams(location.hash.slice(1)), overload = fields.get("overload");
  return fields.has("function") ? { function: fields.get("function"), overload: overload === null ? undefined : Number(overload) } : undefined;
}
function remember(step) {
  if (documentUri) host.setState({ uri: documentUri, place: placeNow() });
  host?.postMessage({ type: "step", range: step?.range ?? null });
}
function hear(message) {
  switch (message?.type) {
    case "flow": return take(message.result, message.open, message.overload);
    case "open": return anew(result, message.function, message.overload);
    case "at": return showCursor(message.told);
    case "note": return note(message.text, message.stale);
    case "document":
      documentUri = message.uri;
      if (run) remember(run.steps[run.picture.moments[at - 1]?.step]);
  }
}
function take(data, open, overload) {
  note("", false);
  if (open !== undefined) anew(data, open, overload);
  else load(data, documentUri ? placeNow() : remembered(), true);
}
function anew(data, name, overload) {
  cursor = visit = null;
  $("cursor").hidden = true;
  load(data, { function: name, overload }, false);
}
function note(text, stale, range = null) {
  document.body.classList.toggle("stale", Boolean(stale));
  $("note").replaceChildren(...(text ? [make("p", {}, text, ...(range ? [" ", lineButton(range)] : []))] : []));
}
function reveal(range) {
  if (host) host.postMessage({ type: "reveal", range });
  else goToLine(range.start.line);
}
const lineButton = range => make("button", { className: "line", textContent: `line ${range.start.line + 1}`, onclick: () => reveal(range) });
