import { expect, test } from "vitest";
import { runCast, says } from "./collab-run.ts";

test("an agent spawns another one, waits for it and gets its answer [COL-1, COL-8]", async () => {
  const answers: unknown[] = [];
  const run = runCast({
    lead: [
      async (call) => {
        answers.push(await call("spawn_agent", { prompt: "look around" }));
        answers.push(await call("wait", { ids: ["worker-1"] }));
        return "done";
      },
    ],
    "worker-1": [says("I saw it")],
  });
  await expect.poll(() => answers.length).toBe(2);
  expect(answers).toEqual([
    { id: "worker-1", name: "worker-1", status: "pending_init" },
    {
      statuses: { "worker-1": { status: "completed", text: "I saw it" } },
      timed_out: false,
      effective_timeout_seconds: 50,
    },
  ]);
  await run.stop();
  expect(run.all("agent-spawned").map(({ agent, spec }) => [agent, spec.spawnedBy])).toEqual([
    ["lead", undefined],
    ["worker-1", "lead"],
  ]);
  expect(run.all("collab-began").map(({ operation }) => operation)).toEqual(["spawn", "wait"]);
});
