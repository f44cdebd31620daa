import assert from "node:assert/strict";
import { test } from "node:test";

import type { Doctor } from "../src/requests.js";
import { commandOf, doctorPage } from "../src/views/doctorPage.js";

const REPORT: Doctor = {
  ready: false,
  summary: "the simulator works",
  findings: [
    { name: "Python", state: "ok", detail: "3.11.7", hint: "", command: "" },
    { name: "driver", state: "missing", detail: "there is none", hint: "install NVIDIA's driver", command: "" },
    { name: "CuPy", state: "missing", detail: "is not installed", hint: "pip install 'x[gpu]'", command: "pip install 'x[gpu]'" },
  ],
};

test("only a command has buttons; other ways out are words", () => {
  const { body } = doctorPage(REPORT, "Python 3.11.7 (py)");
  assert.equal(body.match(/Run in Terminal/g)?.length, 1);
  assert.match(body, /<code>pip install 'x\[gpu\]'<\/code>/);
  assert.match(body, /<div class="mend soft">install NVIDIA's driver<\/div>/);
  assert.match(body, /aria-label="missing">✗/);
});

test("a page can ask for what the report holds and for nothing else", () => {
  assert.deepEqual(commandOf(REPORT, { wish: "run", finding: 2 }), { wish: "run", command: "pip install 'x[gpu]'" });
  assert.deepEqual(commandOf(REPORT, { wish: "again" }), { wish: "again", command: "" });
  for (const said of [null, 3, {}, { wish: "run" }, { wish: "run", finding: 1 }, { wish: "copy", finding: 9 }, { wish: "rm", finding: 2 }]) {
    assert.equal(commandOf(REPORT, said), undefined, JSON.stringify(said));
  }
});
