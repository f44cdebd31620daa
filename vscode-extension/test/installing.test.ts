import assert from "node:assert/strict";
import { test } from "node:test";

import { makerAmong, runs, steps, typed, usable, wrongSource } from "../src/installing.js";
import type { Candidate, Probe } from "../src/python.js";

const candidate: Candidate = { command: "python3", origin: "path" };
const MISSING: Probe = { kind: "package-missing", candidate, python: "3.11.2" };
const OLD: Probe = { kind: "too-old", candidate, python: "3.9.7" };
const GONE: Probe = { kind: "no-interpreter", candidate, reason: "no such program" };
const BROKEN: Probe = { kind: "package-broken", candidate, reason: "ImportError" };
const FOUND: Probe = { kind: "found", candidate, python: "3.12.1", server: "0.1.0" };
const lines = (...args: Parameters<typeof steps>): string[] => steps(...args).map(typed);

test("uv makes and fills an environment", () => {
  assert.deepEqual(lines({ folder: "/w s/.venv", there: false, source: "croqtile-tools" }, { kind: "uv" }, "linux"), [
    "uv venv --allow-existing --python '>=3.11' '/w s/.venv'",
    "uv pip install --python '/w s/.venv/bin/python' croqtile-tools",
  ]);
});

test("without uv the standard library does", () => {
  assert.deepEqual(lines({ folder: "/w/.venv", there: false, source: "/d/x.whl" }, { kind: "python", command: "python3" }, "linux"), [
    "python3 -m venv /w/.venv",
    "/w/.venv/bin/python -m pip install /d/x.whl",
  ]);
  const [, install] = steps({ folder: "C:\\w\\.venv", there: false, source: "x" }, { kind: "python", command: "python" }, "win32");
  assert.equal(install?.command, "C:\\w\\.venv\\Scripts\\python.exe");
});

test("into one that is there the package is only installed", () => {
  assert.deepEqual(lines({ folder: "/w/.venv", there: true, source: "croqtile-tools" }, { kind: "uv" }, "linux"), [
    "uv pip install --python /w/.venv/bin/python croqtile-tools",
  ]);
});

test("what is shown can be typed as it stands", () => {
  assert.equal(typed({ title: "", command: "a b", args: ["it's", "$(x)", ""] }), "'a b' 'it'\\''s' '$(x)' ''");
});

test("an option of pip is no package", () => {
  assert.equal(wrongSource("croqtile-tools"), undefined);
  assert.equal(wrongSource(" --index-url=http://x"), "This is an option, not a package");
  assert.match(wrongSource(" ") ?? "", /^Type the path of a checkout or of a wheel of croqtile-tools/);
});

test("where an environment can be made", () => {
  assert.deepEqual([undefined, GONE, MISSING, BROKEN, OLD, FOUND].map(usable), [true, true, true, true, false, false]);
  assert.deepEqual([undefined, GONE, MISSING, BROKEN].map(runs), [false, false, true, true]);
});

test("any Python that is new enough makes environments", () => {
  assert.deepEqual(makerAmong([GONE, OLD, MISSING]), { kind: "python", command: "python3" });
  assert.deepEqual(makerAmong([FOUND]), { kind: "python", command: "python3" });
  assert.equal(makerAmong([GONE, OLD]), undefined);
});
