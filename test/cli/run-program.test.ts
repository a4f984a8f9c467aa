import { expect, test } from "vitest";
import { createProcessIo } from "../../src/cli/process-io.ts";

const node = (code: string) => createProcessIo().runProgram([process.execPath, "-e", code]);

test("a program that has the terminal ends with its code, null after a signal, or cannot be started", async () => {
  const before = process.listenerCount("SIGINT");
  const ends = await Promise.all([
    node("process.exit(3)"),
    node("process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)"),
    createProcessIo()
      .runProgram(["/nowhere/to/be/found"])
      .catch((error: unknown) => (error instanceof Error ? error.message : "")),
  ]);
  expect(ends).toEqual([3, null, expect.stringContaining("ENOENT")]);
  expect(process.listenerCount("SIGINT")).toBe(before);
});
