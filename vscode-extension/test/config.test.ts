import assert from "node:assert/strict";
import { test } from "node:test";

import { expandPath, type Places, readSettings } from "../src/config.js";

const places: Places = { home: "/home/ada", workspaceFolder: "/ws/a b (é)" };
const read = (values: Record<string, unknown>) => (key: string) => values[key];

test("nothing set gives the defaults", () => {
  assert.deepEqual(readSettings(read({}), places), {
    python: undefined,
    arch: "sm_90a",
    dialect: "any",
    defines: {},
  });
});

test("values of the right type are taken", () => {
  const settings = readSettings(
    read({ python: "~/v/bin/python", arch: "sm_80", dialect: "current", defines: { TILE: 64, NAME: "x" } }),
    places,
  );
  assert.deepEqual(settings, {
    python: "/home/ada/v/bin/python",
    arch: "sm_80",
    dialect: "current",
    defines: { TILE: "64", NAME: "x" },
  });
});

test("values of a wrong type count as not set", () => {
  const settings = readSettings(read({ python: 3, arch: "sm_42", dialect: null, defines: ["A"] }), places);
  assert.deepEqual(settings, { python: undefined, arch: "sm_90a", dialect: "any", defines: {} });
});

test("a macro needs a name and a text", () => {
  const { defines } = readSettings(read({ defines: { "a b": 1, "9x": 1, OK: "2", LIST: [1] } }), places);
  assert.deepEqual(defines, { OK: "2" });
});

test("paths", () => {
  assert.equal(expandPath("  ", places), undefined);
  assert.equal(expandPath("~", places), "/home/ada");
  assert.equal(expandPath("~other/python", places), "~other/python");
  assert.equal(expandPath("${workspaceFolder}/.venv/bin/python", places), "/ws/a b (é)/.venv/bin/python");
  assert.equal(expandPath("${workspaceFolder}/p", { home: "/h", workspaceFolder: undefined }), undefined);
});

test("a folder with a replacement pattern in its name is taken as it is", () => {
  assert.equal(expandPath("${workspaceFolder}/p", { home: "/h", workspaceFolder: "/w$&x" }), "/w$&x/p");
});
