import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWorkspace } from "../../src/host/workspace.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "troupe-workspace-"));
  root = join(base, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "secret"), "secret");
  symlinkSync(join(base, "outside"), join(root, "link"));
  symlinkSync(join(base, "outside", "secret"), join(root, "file-link"));
  symlinkSync("sub", join(root, "inner-link"));
});
afterEach(() => rmSync(base, { recursive: true }));

test("a text is written whole, into directories that are made for it, and read again", async () => {
  const files = createWorkspace(root);
  await files.writeText("a/b/c.md", "text \ud800");
  expect(await files.readText("a/b/c.md")).toBe("text \uFFFD");
  expect(await files.readText(join(root, "a/b/c.md"))).toBe("text \uFFFD");
  expect(readdirSync(join(root, "a/b"))).toEqual(["c.md"]);
  expect(await files.exists("a/b/c.md")).toBe(true);
  await files.remove("a/b/c.md");
  await files.remove("a/b/c.md");
  expect(await files.exists("a/b/c.md")).toBe(false);
});

test("a file that is written again keeps its mode", async () => {
  writeFileSync(join(root, "run.sh"), "old");
  chmodSync(join(root, "run.sh"), 0o750);
  await createWorkspace(root).writeText("run.sh", "new");
  expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o750);
});

describe("escapes", () => {
  test.each([
    "../outside/secret",
    "sub/../../outside/secret",
    "/etc/passwd",
    "link/secret",
    "file-link",
    "link/new/file",
    "a\0b",
    "..",
  ])("%j is refused [T8]", async (path) => {
    const files = createWorkspace(root);
    const outside = { code: "HOST_PATH_OUTSIDE" };
    await expect(files.exists(path)).rejects.toMatchObject(outside);
    await expect(files.readText(path)).rejects.toMatchObject(outside);
    if (path === "file-link") return;
    await expect(files.writeText(path, "x")).rejects.toMatchObject(outside);
    await expect(files.remove(path)).rejects.toMatchObject(outside);
  });

  test("writing and removing replace a link and never what it points to [T8]", async () => {
    const files = createWorkspace(root);
    await files.writeText("file-link", "mine");
    expect(lstatSync(join(root, "file-link")).isSymbolicLink()).toBe(false);
    await files.remove("link");
    expect(readFileSync(join(base, "outside", "secret"), "utf8")).toBe("secret");
  });

  test("the root itself is no file to write or remove", async () => {
    for (const path of ["", ".", root])
      await expect(createWorkspace(root).remove(path)).rejects.toMatchObject({
        code: "HOST_PATH_OUTSIDE",
      });
  });

  test("links that stay inside are followed, and the root may be a link itself", async () => {
    symlinkSync(root, join(base, "alias"));
    const files = createWorkspace(join(base, "alias"));
    await files.writeText("inner-link/file", "text");
    expect(await files.readText("sub/file")).toBe("text");
    expect(await files.readText(join(root, "sub/file"))).toBe("text");
  });
});

test("a named pipe or a directory is refused instead of holding the reader", async () => {
  execFileSync("mkfifo", [join(root, "pipe")]);
  const files = createWorkspace(root);
  await expect(files.readText("pipe")).rejects.toMatchObject({ code: "HOST_FILE_FAILED" });
  await expect(files.readText("sub")).rejects.toMatchObject({ details: { reason: "EISDIR" } });
  await expect(files.readText("absent")).rejects.toMatchObject({ details: { reason: "ENOENT" } });
});

test("a file that is too large to be held is not read [AGT-6, T14]", async () => {
  writeFileSync(join(root, "huge"), Buffer.alloc(17 * 1024 * 1024));
  await expect(createWorkspace(root).readText("huge")).rejects.toMatchObject({
    code: "HOST_FILE_FAILED",
    message: expect.stringContaining("more than 16 MiB"),
  });
});
