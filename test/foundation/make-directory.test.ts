import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDirectory } from "../../src/foundation/make-directory.ts";
import { mount, mountDisk } from "../host/mount-disk.ts";
import { has } from "../machine.ts";

test("a directory is made with all above it, and the first that was missing is told", () => {
  const root = createRoot();
  expect(makeDirectory(join(root, "a/b/c"), 0o700)).toBe(join(root, "a"));
  expect(statSync(join(root, "a/b/c")).mode & 0o777).toBe(0o700);
  expect(makeDirectory(join(root, "a/b/c"), 0o700)).toBeUndefined();
});

test("what stands in the way is told as the system tells it", () => {
  const root = createRoot();
  writeFileSync(join(root, "file"), "");
  expect(() => makeDirectory(join(root, "file/below"))).toThrow(/ENOTDIR/);
});

test.runIf(has("the right to mount"))(
  "a read-only file system is told as that, however much is missing",
  () => {
    const root = createRoot();
    const disk = join(root, "disk");
    mkdirSync(disk);
    mountDisk(disk, "size=1m");
    mount(["-o", "remount,ro", disk]);
    for (const missing of ["a", "a/b/c"])
      expect(() => makeDirectory(join(disk, missing))).toThrow(/EROFS/);
  },
);

function createRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "make-directory-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}
