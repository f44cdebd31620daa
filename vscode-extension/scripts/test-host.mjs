// Bundles the tests that run inside VS Code into the folder given: one file a suite; `vscode` is given by the editor.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const suites = readdirSync("test-host").filter((name) => name.endsWith(".suite.ts"));
await build({
  entryPoints: suites.map((name) => `test-host/${name}`),
  outdir: process.argv[2],
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  sourcemap: "inline",
  logLevel: "warning",
});
