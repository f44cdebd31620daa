import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { FILES, onPath } from "../src/files.js";
import { candidates, inside, type Surroundings } from "../src/python.js";

/** A workspace `ws`, another folder `out`, each with a program, and a link `also` to the workspace. */
async function withFolders(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "links ")));
  const before = process.env["PATH"];
  try {
    for (const name of ["ws/bin", "out/bin"]) {
      await mkdir(path.join(folder, name), { recursive: true });
      await writeFile(path.join(folder, name, "python3"), "#!/bin/sh\n", { mode: 0o755 });
    }
    await symlink(path.join(folder, "ws"), path.join(folder, "also"));
    await work(folder);
  } finally {
    process.env["PATH"] = before;
    await rm(folder, { recursive: true, force: true });
  }
}

const untrusted = (folder: string): Surroundings => ({
  setting: undefined,
  folders: [folder],
  pythonExtension: undefined,
  trusted: false,
  platform: "linux",
});

test("a link is followed, out of the workspace and into it", async () => {
  await withFolders(async (folder) => {
    const at = (name: string): string => path.join(folder, name);
    const link = async (to: string, name: string): Promise<void> => symlink(to, at(name));
    await link(at("out/bin/python3"), "ws/bin/outside"); // a virtual environment's interpreter is such a link
    await link(at("ws/bin/python3"), "out/bin/within");
    await link("../ws/bin", "out/folder");
    await link(at("ws/bin/outside"), "out/bin/through"); // from outside through the workspace to outside
    await link(at("out/bin"), "ws/back");
    await link(at("ws/back"), "out/round");
    await link("loop", "out/bin/loop");
    const within = ["ws/bin/python3", "ws/bin/outside", "ws/nothing", "also/bin/python3", "out/bin/within", "out/folder/python3"];
    const names = [...within, "out/folder/outside", "out/bin/through", "out/round/python3", "ws/../ws/bin/python3"];
    for (const root of ["ws", "ws/", "also", "also/"]) {
      assert.deepEqual(names.filter((name) => !inside(at(name), [`${folder}/${root}`], FILES)), [], root);
      const outer = ["out/bin/python3", "out/bin/loop", "out/nothing", "ws2/python3", "..ws/python3"];
      assert.deepEqual(outer.filter((name) => inside(at(name), [`${folder}/${root}`], FILES)), [], root);
    }
  });
});

test("the PATH leads to no program of a workspace that is not trusted", async () => {
  await withFolders(async (folder) => {
    const found = (...entries: readonly string[]): string[] => {
      process.env["PATH"] = entries.map((entry) => path.join(folder, entry)).join(path.delimiter);
      return candidates(untrusted(path.join(folder, "ws")), FILES).map((one) => one.command);
    };
    const outside = [path.join(folder, "out/bin/python3"), "python"]; // which runProcess does not run
    assert.deepEqual(found("out/bin", "ws/bin"), outside);
    assert.deepEqual(found("ws/bin", "out/bin"), ["python"]);
    assert.deepEqual(found("nothing", "also/bin"), ["python"]);
    await chmod(path.join(folder, "ws/bin/python3"), 0o644); // no program: the next one is meant
    assert.deepEqual(found("ws/bin", "out/bin"), outside);
    await mkdir(path.join(folder, "ws/bin/python"));
    assert.deepEqual(found("ws/bin", "out/bin"), outside);
  });
});

test("an entry of the PATH that is empty or relative leads nowhere, in a trusted workspace too", async () => {
  await withFolders(async (folder) => {
    const before = process.cwd();
    try {
      process.chdir(path.join(folder, "ws"));
      await writeFile("uv", "#!/bin/sh\n", { mode: 0o755 });
      await writeFile("python3", "#!/bin/sh\n", { mode: 0o755 });
      const searched = (...entries: readonly string[]): void => void (process.env["PATH"] = entries.join(path.delimiter));
      for (const entry of ["bin", "./bin", "../ws/bin", "", "."]) {
        searched(entry, path.join(folder, "out/bin"), "");
        for (const trusted of [true, false]) {
          const at = { ...untrusted(path.join(folder, "ws")), trusted };
          assert.deepEqual(candidates(at, FILES).map((one) => one.command), [path.join(folder, "out/bin/python3"), "python"], entry);
        }
        assert.equal(FILES.found("uv"), undefined, entry);
      }
      delete process.env["PATH"];
      assert.equal(FILES.found("python3"), undefined);
    } finally {
      process.chdir(before);
    }
  });
});

test("a name has the endings of Windows there, and entries may stand in quotes", () => {
  const searched = '.;;bin;\\here;C:here;"C:\\a; b";D:/c;\\\\host\\share;%X%';
  const folders = ["C:\\a; b", "D:\\c", "\\\\host\\share"];
  assert.deepEqual(
    onPath("python", searched, "win32"),
    folders.flatMap((one) => [`${one}\\python.com`, `${one}\\python.exe`]),
  );
  assert.deepEqual(onPath("uv.exe", "C:\\b", "win32"), ["C:\\b\\uv.exe", "C:\\b\\uv.exe.com", "C:\\b\\uv.exe.exe"]);
  assert.deepEqual(onPath("uv", ":/a/b:bin:.:", "linux"), ["/a/b/uv"]);
});
