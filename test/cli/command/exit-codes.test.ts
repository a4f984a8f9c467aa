import { expect, test } from "vitest";
import { errorCatalog } from "../../../src/app/catalogue/error-catalog.ts";
import { exitCodeOf, exitCodeOfCode } from "../../../src/cli/command/exit-codes.ts";

test.each([
  ["BACKEND_PREFLIGHT_FAILED", 4],
  ["BACKEND_NOT_AVAILABLE", 4],
  ["ENGINE_RUN_OWNED", 6],
  ["ENGINE_OWNER_SILENT", 6],
  ["RUN_DIRECTORY_BUSY", 6],
  ["RUN_NOT_FOUND", 2],
  ["RUN_AMBIGUOUS", 2],
  ["RUN_ITEM_NOT_FOUND", 2],
  ["RUN_DIRECTORY_UNWRITABLE", 2],
  ["WORKFLOW_TASK_MISSING", 2],
  ["WORKFLOW_INVALID", 2],
  ["FILE_NOT_FOUND", 2],
  ["CASSETTE_INVALID", 2],
  ["DURATION_INVALID", 2],
  ["USAGE_INVALID", 2],
  ["LIMIT_COST", 5],
  ["LIMIT_INVALID", 2],
  ["STORE_FULL", 1],
  ["STORE_CORRUPT", 1],
  ["ENGINE_NONDETERMINISM", 1],
])("%s ends a command with exit code %i [CLI-1]", (code, exitCode) => {
  expect(exitCodeOfCode(code)).toBe(exitCode);
});

test("no known error code is taken for an internal error", () => {
  const internal = [...errorCatalog().keys()].filter((code) => exitCodeOfCode(code) === 70);
  expect(internal).toEqual([]);
});

test("what was not thrown on purpose is exit code 70", () => {
  expect([new Error("x"), "text", undefined].map(exitCodeOf)).toEqual([70, 70, 70]);
});
