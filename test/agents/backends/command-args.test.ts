import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { fanOut } from "../../../src/sdk/patterns.ts";

const hostile = ["$(echo no)", "a b", "'q'", "{task}x", "{{steps.x}} \\{{"];

test("args come after a command, in argv and shell form alike, as plain text [PAT-task.args, T6]", async () => {
  const run = fanOut(
    [
      { name: "argv", task: "t", command: ["printf", "%s|"], args: hostile },
      { name: "shell", task: "t", command: "printf '%s|'", args: hostile },
    ],
    { store: "memory", cwd: tmpdir() },
  );
  const { agents } = await run.result;
  expect(agents.map(({ summary }) => summary)).toEqual([
    "$(echo no)|a b|'q'|tx|{{steps.x}} \\{{|",
    "$(echo no)|a b|'q'|tx|{{steps.x}} \\{{|",
  ]);
});
