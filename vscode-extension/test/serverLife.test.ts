import assert from "node:assert/strict";
import { test } from "node:test";

import type { Outcome } from "../src/python.js";
import { Refusal } from "../src/refusal.js";
import { type Process, ServerLife } from "../src/serverLife.js";
import type { Found } from "../src/state.js";

const FOUND: Found = { kind: "found", candidate: { command: "/env/bin/python", origin: "workspace" }, python: "3.11.2", server: "0.1.0" };
const NONE: Outcome = { kind: "nothing-to-try" };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Fake extends Process {
  readonly number: number;
  tell(now: "answers" | "ended"): void;
}

interface Surroundings {
  /** One after the other; then a Python is found. */
  searches?: (Outcome | Error)[];
  /** What becomes of the processes, by number from 1: they answer, but for these. */
  fails?: readonly number[];
  stopFails?: boolean;
}

/** A life in which everything that happens is noted; processes are numbered from 1. */
function live({ searches = [], fails = [], stopFails = false }: Surroundings = {}) {
  const log: string[] = [];
  const said: string[] = [];
  const processes: Fake[] = [];
  const world = { gone: false, now: 0 };
  const life = new ServerLife<Fake>(
    {
      search: async () => {
        const next = searches.shift() ?? FOUND;
        if (next instanceof Error) {
          throw next;
        }
        return { outcome: next, trusted: true };
      },
      make: (_, tell) => {
        const number = processes.length + 1;
        const made: Fake = {
          number,
          tell,
          start: async () => {
            log.push(`start ${number}`);
            await turn();
            if (fails.includes(number)) {
              tell("ended");
              throw new Error("it ended");
            }
            tell("answers");
          },
          stop: async () => {
            log.push(`stop ${number}`);
            tell("ended");
            if (stopFails) {
              throw new Error("no pipe");
            }
          },
        };
        processes.push(made);
        return made;
      },
      isGone: () => world.gone,
      log: { info: () => undefined, warn: (text) => said.push(text), error: (text) => said.push(text) },
    },
    () => world.now,
  );
  life.onDidChangeState(({ kind }) => log.push(kind));
  return { life, log, said, processes, world };
}

test("a Python is looked for, and its server started", async () => {
  const { life, log } = live();
  assert.equal((await life.restart("start")).kind, "running");
  assert.deepEqual(log, ["searching", "starting", "start 1", "running"]);
  assert.equal((await life.running()).number, 1);
});

test("two quick restarts leave one server, and no moment with two", async () => {
  const { life, log } = live();
  await Promise.all([life.restart("start"), life.restart("asked")]);
  assert.deepEqual(log, ["searching", "starting", "start 1", "running", "stop 1", "stopped", "searching", "starting", "start 2", "running"]);
  assert.equal((await life.running()).number, 2);
});

test("who asks while it starts waits; without a server the way out is told", async () => {
  const { life } = live({ searches: [NONE] });
  await assert.rejects(life.running(), (error: unknown) => error instanceof Refusal && error.way?.command === "croqtile.restartServer");
  void life.restart("start");
  await assert.rejects(life.running(), (error: unknown) => error instanceof Refusal && error.way?.command === "workbench.trust.manage");
  void life.restart("asked");
  assert.equal((await life.running()).number, 1);
});

test("one that ends by itself is started again, with a new search; what it says later is not heard", async () => {
  const { life, log, processes } = live();
  await life.restart("start");
  log.length = 0;
  processes[0]?.tell("ended");
  assert.equal((await life.settled()).kind, "running");
  assert.deepEqual(log, ["stop 1", "stopped", "searching", "starting", "start 2", "running"]);
  processes[0]?.tell("ended");
  await turn();
  assert.equal(life.state.kind, "running");
});

test("one that ends again and again is left alone, until somebody asks for it", async () => {
  const { life, processes, world } = live();
  await life.restart("start");
  for (let ends = 1; ends <= 5; ends += 1) {
    processes.at(-1)?.tell("ended");
    await life.settled();
  }
  assert.equal(processes.length, 5);
  assert.ok(life.state.kind === "crashed" && life.state.worked && life.state.reason.startsWith("The language server ended 5 times within 3 minutes"));
  world.now = 1;
  assert.equal((await life.restart("asked")).kind, "running");
});

test("one that never answered is not started again", async () => {
  const { life, processes, said } = live({ fails: [1] });
  assert.ok((await life.restart("start")).kind === "crashed");
  assert.ok(life.state.kind === "crashed" && !life.state.worked);
  assert.deepEqual([processes.length, said], [1, ["The server did not start: it ended"]]);
});

test("a search or a stop that breaks is told of, and the next restart begins afresh", async () => {
  const broken = live({ searches: [new Error("the Python extension broke")] });
  assert.ok((await broken.life.restart("start")).kind === "crashed");
  assert.equal((await broken.life.restart("asked")).kind, "running");
  const stuck = live({ stopFails: true });
  await stuck.life.restart("start");
  assert.equal((await stuck.life.restart("asked")).kind, "running");
  assert.deepEqual(stuck.said, ["While stopping: no pipe"]);
});

test("only a server whose Python is gone is replaced", async () => {
  const { life, processes, world } = live();
  assert.equal(await life.replaceIfGone("request"), false);
  await life.restart("start");
  assert.equal(await life.replaceIfGone("request"), false);
  world.gone = true;
  assert.equal(await life.replaceIfGone("request"), true);
  assert.deepEqual([processes.length, life.state.kind], [2, "running"]);
});

test("after a stop nothing runs and nothing comes back", async () => {
  const { life, log, processes } = live();
  await life.restart("start");
  await life.stop();
  processes[0]?.tell("ended");
  await life.settled();
  assert.deepEqual([life.state.kind, log.slice(-2), processes.length], ["stopped", ["stop 1", "stopped"], 1]);
});
