import { expect, test } from "vitest";
import { collab } from "../../src/index.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

test("the library leads agents by the same pattern: a function that says DONE ends it [COL-17, ITR-shape.ways]", async () => {
  const prompts: string[] = [];
  const run = collab({
    cwd: temporaryDirectory(),
    store: "memory",
    agent: {
      task: "Find {{it}}",
      run: ({ task }) => {
        prompts.push(task);
        return "DONE: found";
      },
    },
    roles: ["worker"],
  });
  const { output, metadata } = await run.result;
  expect(output).toBe("found");
  expect(metadata).toEqual({ orchestrator: "orchestrator", spawned: [], unfinished: [] });
  expect(prompts[0]).toContain("Find {{it}}");
});
