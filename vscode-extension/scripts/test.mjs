// Compiles the unit tests and runs them with Node's own runner.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const tests = readdirSync("test").filter((name) => /\.test\.m?ts$/.test(name));
rmSync("dist/test", { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: "dist/test",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const compiled = tests.map((name) => `dist/test/${name.replace(/\.m?ts$/, ".mjs")}`);
const run = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...compiled], { stdio: "inherit" });
process.exit(run.status ?? 1);
