import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { FILES } from "../src/files.js";
import { findMaker, interpreterOf, lacksPip, makerAmong, placed, runs, steps, typed, usable, wrongSource } from "../src/installing.js";
import { runProcess } from "../src/process.js";
import { type Candidate, probe, type Probe, type Run } from "../src/python.js";

const candidate: Candidate = { command: "python3", origin: "path" };
const MISSING: Probe = { kind: "package-missing", candidate, python: "3.11.2" };
const OLD: Probe = { kind: "too-old", candidate, python: "3.9.7" };
const GONE: Probe = { kind: "no-interpreter", candidate, reason: "no such program" };
const BROKEN: Probe = { kind: "package-broken", candidate, reason: "ImportError" };
const FOUND: Probe = { kind: "found", candidate, python: "3.12.1", server: "0.1.0" };
const lines = (...args: Parameters<typeof steps>): string[] => steps(...args).map((step) => typed(step, "linux"));

test("uv makes and fills an environment", () => {
  assert.deepEqual(lines({ folder: "/w s/.venv", there: false, withoutPip: false, source: "croqtile-tools" }, { kind: "uv", command: "/b/uv" }, "linux"), [
    "/b/uv venv --allow-existing --python '>=3.11' '/w s/.venv'",
    "/b/uv pip install --python '/w s/.venv/bin/python' croqtile-tools",
  ]);
});

test("without uv the standard library does", () => {
  assert.deepEqual(lines({ folder: "/w/.venv", there: false, withoutPip: false, source: "/d/x.whl" }, { kind: "python", command: "python3" }, "linux"), [
    "python3 -I -m venv /w/.venv",
    "/w/.venv/bin/python -I -m pip install /d/x.whl",
  ]);
  const [, install] = steps({ folder: "C:\\w\\.venv", there: false, withoutPip: false, source: "x" }, { kind: "python", command: "python" }, "win32");
  assert.equal(install?.command, "C:\\w\\.venv\\Scripts\\python.exe");
});

test("into one that is there the package is only installed", () => {
  const there = { folder: "/w/.venv", there: true, withoutPip: false, source: "/d" };
  const python = { kind: "python", command: "python3" } as const;
  assert.deepEqual(lines(there, { kind: "uv", command: "/b/uv" }, "linux"), ["/b/uv pip install --python /w/.venv/bin/python /d"]);
  assert.deepEqual(lines(there, python, "linux"), ["/w/.venv/bin/python -I -m pip install /d"]);
});

test("where pip is not in it, as in one of uv's, it comes first, unless uv installs", () => {
  const there = { folder: "/w/.venv", there: true, withoutPip: true, source: "/d" };
  const python = { kind: "python", command: "python3" } as const;
  assert.deepEqual(lines(there, { kind: "uv", command: "/b/uv" }, "linux"), ["/b/uv pip install --python /w/.venv/bin/python /d"]);
  assert.deepEqual(lines(there, python, "linux"), ["/w/.venv/bin/python -I -m ensurepip", "/w/.venv/bin/python -I -m pip install /d"]);
});

test("no file of the folder that they run in is a module for the steps", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "shadows "));
  try {
    for (const name of ["logging", "venv", "pip", "ensurepip"]) {
      await writeFile(path.join(folder, `${name}.py`), "raise SystemExit('a file of the workspace was run')\n");
    }
    const wish = { folder: path.join(folder, "made"), there: false, withoutPip: false, source: "." };
    const [make] = steps(wish, { kind: "python", command: "python3" }, "linux");
    assert.ok(make !== undefined);
    const { PYTHONSAFEPATH: _, ...env } = process.env;
    const args = [...make.args.slice(0, -1), "--without-pip", make.args.at(-1) ?? ""];
    const end = spawnSync(make.command, args, { cwd: folder, env: { ...env, PYTHONPATH: folder }, encoding: "utf8" });
    assert.deepEqual([end.status, end.stderr], [0, ""]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a path is one of the workspace's folder, a name and an address are not", () => {
  const whole = ["croqtile-tools", "croqtile-tools[gpu]==1.0", "https://x/y.whl", "croqtile-tools @ file:///d/x.whl", "/d/x.whl"];
  assert.deepEqual(whole.map((source) => placed(source, "/ws")), whole);
  const relative = [".", "..", "./tools", "dist/x.whl", "x.whl", "../tools[gpu]"];
  assert.deepEqual(relative.map((source) => placed(source, "/ws/a")), ["/ws/a", "/ws", "/ws/a/tools", "/ws/a/dist/x.whl", "/ws/a/x.whl", "/ws/tools[gpu]"]);
});

test("what is shown can be typed as it stands", () => {
  assert.equal(typed({ title: "", command: "a b", args: ["it's", "$(x)", ""] }, "linux"), "'a b' 'it'\\''s' '$(x)' ''");
});

test("in PowerShell a quoted program is started by &, and an apostrophe is doubled", () => {
  const step = { title: "", command: "C:\\Ada's files\\python.exe", args: ["-m", "venv", "C:\\w\\.venv"] };
  assert.equal(typed(step, "win32"), "& 'C:\\Ada''s files\\python.exe' -m venv C:\\w\\.venv");
  assert.equal(typed({ ...step, command: "C:\\b\\uv.exe" }, "win32"), "C:\\b\\uv.exe -m venv C:\\w\\.venv");
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

/** A folder with a `uv` that notes what it is given; it makes a Python that has the package once that was installed, and no pip. */
async function withUv(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "uv "));
  const before = process.env["PATH"];
  const script = (name: string, ...lines: readonly string[]): Promise<void> => writeFile(path.join(folder, name), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
  try {
    await script(
      "python",
      `case "$*" in *pip*) echo "No module named pip" >&2; exit 1;; esac`,
      `echo '{"python": "3.12.1"}'`,
      `[ -e "${folder}/installed" ] && echo '{"server": "0.1.0"}' || exit 4`,
    );
    await script(
      "uv",
      `echo "$@" >> "${folder}/log"`,
      `case "$1 $2" in`,
      `  "venv --allow-existing") mkdir -p "$5/bin"; cp "${folder}/python" "$5/bin/python";;`,
      `  "pip install") [ -e "$5" ] || exit 2; touch "${folder}/installed";;`,
      "esac",
    );
    process.env["PATH"] = `${folder}${path.delimiter}${before ?? ""}`;
    await work(folder);
  } finally {
    process.env["PATH"] = before;
    await rm(folder, { recursive: true, force: true });
  }
}

test("with uv an environment is made from nothing, and its Python has the package", async () => {
  await withUv(async (folder) => {
    const maker = await findMaker(runProcess, FILES.found("uv"), () => assert.fail("no Python is looked for"));
    assert.deepEqual(maker, { kind: "uv", command: path.join(folder, "uv") });
    assert.ok(maker !== undefined);
    const place = path.join(folder, "w", ".venv");
    const wish = { folder: place, there: false, withoutPip: false, source: folder };
    const command = interpreterOf(place, "linux");
    const ends: unknown[] = [];
    for (const step of steps(wish, maker, "linux")) {
      const end = await runProcess(step.command, step.args);
      ends.push(end.kind === "exited" ? end.code : end.reason, (await probe({ command, origin: "workspace" }, runProcess)).kind);
    }
    assert.deepEqual(ends, [0, "package-missing", 0, "found"]);
    assert.equal(await lacksPip(runProcess, place, "linux"), true);
    assert.equal(
      await readFile(path.join(folder, "log"), "utf8"),
      `--version\nvenv --allow-existing --python >=3.11 ${place}\npip install --python ${command} ${folder}\n`,
    );
  });
});

test("a uv that does not run is none, and the Pythons are asked", async () => {
  const broken: Run = () => Promise.resolve({ kind: "exited", code: 1, stdout: "", stderr: "" });
  const absent: Run = () => Promise.resolve({ kind: "failed", reason: "no such program" });
  for (const run of [broken, absent]) {
    assert.deepEqual(await findMaker(run, "/b/uv", () => Promise.resolve([MISSING])), { kind: "python", command: "python3" });
    assert.equal(await findMaker(run, "/b/uv", () => Promise.resolve([OLD])), undefined);
  }
  const never: Run = (command) => assert.fail(`${command} is run`);
  assert.deepEqual(await findMaker(never, undefined, () => Promise.resolve([MISSING])), { kind: "python", command: "python3" });
});
