// Copies what the package takes from the top of the repository: the grammars, the configuration of the language, the licence.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const top = dirname(here);
mkdirSync(join(here, "syntaxes"), { recursive: true });
for (const name of ["croqtile.tmLanguage.json", "ptx.tmLanguage.json", "sass.tmLanguage.json", "language-configuration.json"]) {
  copyFileSync(join(top, "syntaxes", name), join(here, "syntaxes", name));
}
copyFileSync(join(top, "LICENSE"), join(here, "LICENSE"));
