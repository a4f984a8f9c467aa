import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hasConflictMark, unresolvedFiles } from "../../../../src/app/run/merge/merge-branch.ts";

const MIB = 1024 * 1024;

function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-marks-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test.each([
  ["<<<<<<< HEAD\na\n", true],
  ["a\n>>>>>>> branch\n", true],
  ["a\n||||||| base", true],
  ["a\n<<<<<<<", true],
  ["a\r\n<<<<<<<\r\n", true],
  ["a <<<<<<< HEAD\n", false],
  ["<<<<<<<x\n========\n", false],
  ["", false],
])("%j has the mark of a conflict: %j", (text, isMarked) => {
  const file = join(createDirectory(), "file");
  writeFileSync(file, text);
  expect(hasConflictMark(file)).toBe(isMarked);
});

test.each([0, 1, 3, 7, 8, 9, 10])(
  "a mark is found wherever the pieces end that a file is read in: %i before",
  (before) => {
    const file = join(createDirectory(), "file");
    writeFileSync(file, `${"x".repeat(MIB - before - 1)}\n<<<<<<< HEAD\n${"y".repeat(MIB)}`);
    expect(hasConflictMark(file)).toBe(true);
    writeFileSync(file, `${"x".repeat(MIB - before)}<<<<<<< HEAD\n`);
    expect(hasConflictMark(file)).toBe(false);
  },
);

test("what was removed is resolved, a link and a directory have no marks, and what nobody can look into is not resolved", () => {
  const directory = createDirectory();
  writeFileSync(join(directory, "marked"), "<<<<<<< HEAD\n");
  symlinkSync(join(directory, "marked"), join(directory, "link"));
  mkdirSync(join(directory, "folder"));
  const names = ["gone", "marked", "link", "folder", "marked/below"];
  expect(unresolvedFiles(directory, names)).toEqual(["marked", "marked/below"]);
});
