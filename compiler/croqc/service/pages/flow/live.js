// Only in a page that `croq flow --serve` serves: asks it for newer data of the file, and keeps the place. A page that
// nobody sees asks nothing.
const PAUSE = 500; // milliseconds
let have = "@TAG@";
async function follow() {
  if (!document.hidden) {
    try {
      const answer = await fetch(`/flow?have=${have}`, { cache: "no-store" });
      if (answer.status !== 204) await renew(answer);
    } catch {
      have = ""; // whatever answers next is news
      note("croq flow has ended; this is the last that it showed", true);
    }
  }
  setTimeout(follow, PAUSE);
}
async function renew(answer) {
  have = answer.headers.get("ETag");
  if (!answer.ok) return note(await answer.text(), true);
  note("", false);
  load(await answer.json(), placeNow(), true);
}
follow();
