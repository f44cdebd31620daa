// What an editor around the page tells it and hears from it; without one, all of this does nothing.
// In:  {type: "flow", result, open}  new data; `open` names a function to open anew, without it the place is kept
//      {type: "at", told}            `croqtile/flowAt` of the cursor
//      {type: "note", text, stale}   words over the picture, of an older text where `stale`
//      {type: "document", uri}       which document this is; remembered for the editor
// Out: {type: "ready"}, {type: "reveal", range}
const host = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;
const remembered = () => host?.getState() ?? {};

// The editor gives this back when the page is made again.
function remember() {
  host?.setState({ ...remembered(), place: placeNow() });
}
function hear(message) {
  switch (message?.type) {
    case "flow": return take(message.result, message.open);
    case "at": return showCursor(message.told);
    case "note": return note(message.text, message.stale);
    case "document": return host?.setState({ ...remembered(), uri: message.uri });
  }
}
function take(data, open) {
  note("", false);
  if (open !== undefined) load(data, { function: open }, false);
  else load(data, placeNow(), true);
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
