import { expect, test } from "vitest";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };

test("voters vote at once, and more than half of the votes decide", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "consensus", agents: [{ id: "a" }, { id: "b" }, { id: "c" }], turns },
    {
      task: "use tabs",
      turns: {
        a: [{ say: "VOTE: approve it is shorter" }],
        b: [{ say: "I looked at it.\nVOTE: reject alignment breaks" }],
        c: [{ say: "hm" }, { say: "VOTE: approve fine" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output:
      "approved (2 to 1, majority)\n- a: approve: it is shorter\n- b: reject: alignment breaks\n- c: approve: fine",
    metadata: {
      decision: "approved",
      tally: { approve: 2, reject: 1, cast: 3, quorum: 2 },
      electorate: ["a", "b", "c"],
      missing: [],
    },
  });
});
