import assert from "node:assert/strict";
import { homedir } from "node:os";
import { test } from "node:test";

import { runProcess, serverProcess } from "../src/process.js";
import {
  brief,
  below,
  type Candidate,
  candidates,
  describe,
  type Files,
  findPython,
  PROBE_SCRIPT,
  probe,
  type ProcessResult,
  type Run,
  type Surroundings,
} from "../src/python.js";

const at: Surroundings = {
  setting: undefined,
  folders: ["/ws"],
  pythonExtension: undefined,
  trusted: true,
  platform: "linux",
};
const everything: Files = { exists: () => true, real: (folder) => folder, found: () => undefined, reached: (command) => [command] };
const commands = (list: readonly Candidate[]): string[] => list.map((one) => one.command);
const candidate: Candidate = { command: "py", origin: "path" };

const exited = (code: number, stdout: string, stderr = ""): ProcessResult => ({ kind: "exited", code, stdout, stderr });
const FOUND = exited(0, '{"python": "3.12.1"}\n{"server": "0.1.0"}\n');
const MISSING = exited(4, '{"python": "3.11.2"}\n');
const OLD = exited(3, '{"python": "3.9.7"}\r\n');
const BROKEN = exited(1, '{"python": "3.11.2"}\n', "Traceback\nImportError: lark\n");
const ABSENT: ProcessResult = { kind: "failed", reason: "no such program" };

/** A runner that knows what each program answers, and which were asked. */
function fake(answers: Record<string, ProcessResult>): { run: Run; asked: string[] } {
  const asked: string[] = [];
  const run: Run = (command, args) => {
    asked.push(command);
    assert.deepEqual(args, ["-c", PROBE_SCRIPT]);
    return Promise.resolve(answers[command] ?? ABSENT);
  };
  return { run, asked };
}

test("the search goes from the workspace to the PATH", () => {
  assert.deepEqual(commands(candidates({ ...at, pythonExtension: "/opt/py" }, everything)), [
    "/ws/.venv/bin/python",
    "/ws/venv/bin/python",
    "/opt/py",
    "python3",
    "python",
  ]);
});

const onWindows: Surroundings = { ...at, folders: ["C:\\Ada\\ws"], platform: "win32" };

test("on Windows environments have Scripts", () => {
  assert.deepEqual(commands(candidates(onWindows, everything)), [
    "C:\\Ada\\ws\\.venv\\Scripts\\python.exe",
    "C:\\Ada\\ws\\venv\\Scripts\\python.exe",
    "python",
    "python3",
  ]);
});

test("on Windows an untrusted folder is the same in upper and lower case, and with either slash", () => {
  const tried = (setting: string): string[] => commands(candidates({ ...onWindows, setting, trusted: false }, everything));
  for (const own of ["C:\\Ada\\ws\\py.exe", "c:\\ada\\WS\\x\\py.exe", "C:/Ada/ws/py.exe", "C:\\Ada\\ws\\..venv\\py.exe", "py\\py.exe"]) {
    assert.deepEqual(tried(own), [], own);
  }
  for (const other of ["C:\\Ada\\wsx\\py.exe", "D:\\Ada\\ws\\py.exe", "\\\\host\\share\\py.exe", "C:\\Ada\\ws\\..\\py.exe"]) {
    assert.deepEqual(tried(other), [other]);
  }
});

test("environments that do not exist are not tried", () => {
  const files: Files = { ...everything, exists: (file) => file === "/ws/venv/bin/python" };
  assert.deepEqual(commands(candidates(at, files)), ["/ws/venv/bin/python", "python3", "python"]);
});

test("the setting excludes all others", () => {
  assert.deepEqual(candidates({ ...at, setting: "/opt/py" }, everything), [
    { command: "/opt/py", origin: "setting" },
  ]);
});

test("one program is tried once", () => {
  const found = candidates({ ...at, pythonExtension: "/ws/.venv/bin/python" }, everything);
  assert.deepEqual(commands(found), ["/ws/.venv/bin/python", "/ws/venv/bin/python", "python3", "python"]);
});

test("an untrusted workspace gives no interpreter, by whatever way", () => {
  const untrusted = { ...at, trusted: false };
  assert.deepEqual(commands(candidates({ ...untrusted, pythonExtension: "/ws/x/python" }, everything)), [
    "python3",
    "python",
  ]);
  assert.deepEqual(candidates({ ...untrusted, setting: "/ws/.venv/bin/python" }, everything), []);
  assert.deepEqual(candidates({ ...untrusted, setting: "./python" }, everything), []);
  assert.deepEqual(commands(candidates({ ...untrusted, setting: "/ws2/python" }, everything)), ["/ws2/python"]);
});

test("a folder's name may begin with two dots, and a path may go out and in again", () => {
  const inner = ["/ws/..venv/bin/python", "/ws/...", "/ws/a/../b", "/ws//python", "/ws/./..x/../y", "/x/../ws/python"];
  for (const folder of ["/ws", "/ws/", "/x/../ws"]) {
    assert.deepEqual(inner.filter((file) => !below(file, folder)), []);
  }
  const outer = ["/ws/..","/ws", "/ws/", "/ws2/python", "/ws..venv/python", "/", "/python", "/ws/../python", "/ws/../ws2/x"];
  assert.deepEqual(outer.filter((file) => below(file, "/ws")), []);
  for (const command of ["/ws/..venv/bin/python", "/ws/../ws/python"]) {
    assert.deepEqual(candidates({ ...at, trusted: false, setting: command }, everything), []);
    const extension = candidates({ ...at, trusted: false, pythonExtension: command }, everything);
    assert.deepEqual(commands(extension), ["python3", "python"]);
  }
});

test("the first that works ends the search", async () => {
  const { run, asked } = fake({ a: MISSING, b: FOUND });
  const tries: Candidate[] = ["a", "b", "c"].map((command) => ({ command, origin: "path" }));
  assert.deepEqual(await findPython(tries, run), {
    kind: "found",
    candidate: tries[1],
    python: "3.12.1",
    server: "0.1.0",
  });
  assert.deepEqual(asked, ["a", "b"]);
});

test("of several failures the nearest is told", async () => {
  const tries: Candidate[] = ["none", "old", "missing", "old2"].map((command) => ({ command, origin: "path" }));
  const { run } = fake({ old: OLD, missing: MISSING, old2: OLD });
  const outcome = await findPython(tries, run);
  assert.equal(outcome.kind, "package-missing");
  assert.match(describe(outcome), /^Python 3\.11\.2 \(missing\) has no croqtile-tools/);
});

test("each way to fail has its own kind and text", async () => {
  const expected: [ProcessResult, string, RegExp][] = [
    [ABSENT, "no-interpreter", /'py' does not run: no such program/],
    [exited(0, "hello\n"), "no-interpreter", /it is not a Python/],
    [OLD, "too-old", /Python 3\.9\.7 \(py\) is too old: 3\.11/],
    [MISSING, "package-missing", /Install the package there/],
    [BROKEN, "package-broken", /does not start: ImportError: lark/],
  ];
  for (const [result, kind, text] of expected) {
    const outcome = await probe(candidate, fake({ py: result }).run);
    assert.equal(outcome.kind, kind);
    assert.match(describe(outcome), text);
  }
});

test("nothing to try is an outcome too", async () => {
  const outcome = await findPython([], fake({}).run);
  assert.deepEqual(outcome, { kind: "nothing-to-try" });
  assert.match(describe(outcome), /not trusted/);
});

test("lines that a sitecustomize prints do not disturb", async () => {
  const noisy = exited(0, 'hello\n{"python": "3.11.9"}\nnull\n[1]\n{"server": "0.1.0"}\n');
  assert.equal((await probe(candidate, fake({ py: noisy }).run)).kind, "found");
});

test("a program that does not exist is a result, not an exception", async () => {
  assert.deepEqual(await runProcess("/no/such/program", []), { kind: "failed", reason: "no such program" });
});

test("a name that the PATH lacks is not left to the system", async () => {
  for (const name of ["sh", "node", "cmd.exe", ""]) {
    assert.deepEqual(await runProcess(name, []), { kind: "failed", reason: "no such program" });
  }
});

test("the server is started away from the workspace", () => {
  const { options, ...start } = serverProcess("/opt/py");
  assert.deepEqual(start, { command: "/opt/py", args: ["-m", "croqls"] });
  assert.deepEqual([options.cwd, options.env["PYTHONSAFEPATH"]], [homedir(), "1"]);
});

test("a name is the program that the PATH has for it, wherever it comes from", () => {
  const files: Files = { ...everything, exists: () => false, found: (name) => (name === "python3" ? undefined : `/usr/bin/${name}`) };
  assert.deepEqual(commands(candidates({ ...at, pythonExtension: "python" }, files)), ["/usr/bin/python", "python3"]);
  assert.deepEqual(commands(candidates({ ...at, setting: "python3.13" }, files)), ["/usr/bin/python3.13"]);
  const within: Files = { ...files, found: (name) => `/ws/bin/${name}` };
  assert.deepEqual(candidates({ ...at, trusted: false, setting: "python" }, within), []);
});

test("arguments reach the program as they are, without a shell", async () => {
  const echo = "console.log(JSON.stringify(process.argv.slice(1)))";
  const odd = ["a b", "$(id)", "`id`", ";", "é"];
  const result = await runProcess(process.execPath, ["-e", echo, ...odd]);
  assert.deepEqual(result, { kind: "exited", code: 0, stdout: `${JSON.stringify(odd)}\n`, stderr: "" });
});

test("the exit code and the error text come back", async () => {
  const result = await runProcess(process.execPath, ["-e", "console.error('why'); process.exit(4)"]);
  assert.deepEqual(result, { kind: "exited", code: 4, stdout: "", stderr: "why\n" });
});

test("a list says in a few words what each one is", () => {
  const words = [
    brief({ kind: "found", candidate, python: "3.12.1", server: "0.1.0" }),
    brief({ kind: "package-missing", candidate, python: "3.11.2" }),
    brief({ kind: "too-old", candidate, python: "3.9.7" }),
    brief({ kind: "no-interpreter", candidate, reason: "no such program" }),
    brief({ kind: "package-broken", candidate, reason: "ImportError: lark" }),
  ];
  assert.deepEqual(words, [
    "Python 3.12.1, croqtile-tools 0.1.0",
    "Python 3.11.2, no croqtile-tools",
    "Python 3.9.7 is too old: 3.11 or newer is needed",
    "does not run: no such program",
    "croqtile-tools does not start: ImportError: lark",
  ]);
});
