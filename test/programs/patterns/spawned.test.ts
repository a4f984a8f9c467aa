import { expect, test } from "vitest";
import type { AgentSpec } from "../../../src/contracts/agent.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { hubSpokeKind } from "../../../src/programs/patterns/hub-spoke.ts";
import { toHubPattern } from "../../../src/programs/talk/hub-pattern.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { playedBackend, runAgents, said } from "../../agents/agents-run.ts";

const child: AgentSpec = {
  id: "worker-1",
  role: "worker",
  backend: "played",
  reportsTo: "lead",
  spawnedBy: "lead",
};

test("an agent that the hub asked for is one of its workers, keeps the end open, and never closes it [PAT-hub-spoke]", async () => {
  const definition = defineTestWorkflow({
    pattern: "hub-spoke",
    agents: [{ id: "lead", role: "hub", backend: "played" }],
    turns: { maxAttempts: 1, retryDelayMs: 0 },
  });
  const spawned = Promise.withResolvers<void>();
  const worked = Promise.withResolvers<void>();
  const prompts: string[] = [];
  let leadTurns = 0;
  const backend = playedBackend(async function* ({ agent, prompt, client }) {
    if (agent === "worker-1") {
      await worked.promise;
      await client.post({ to: ["lead"], text: "DONE: 3 tests" });
      yield said("DONE: 3 tests");
      return;
    }
    prompts.push(prompt);
    leadTurns += 1;
    if (leadTurns === 1) await spawned.promise;
    if (leadTurns === 2) worked.resolve();
    yield said(leadTurns === 2 ? "I wait" : "DONE: all");
  });
  const run = runAgents(
    async (context) => {
      const hire = context.scope("hire", async (branch) => {
        const turn = branch.subscribe({ kinds: ["turn-started"] });
        await branch.next(turn);
        await branch.spawn(child);
        const working = branch.turn("worker-1", "write tests");
        spawned.resolve();
        await working;
      });
      const {
        metadata,
        outcome,
        output = null,
      } = await toHubPattern(hubSpokeKind).run(context, definition);
      await hire.result;
      return { metadata, outcome, output };
    },
    { backend, clock: systemClock },
  );
  expect(await run.over()).toEqual({
    outcome: "completed",
    output: "all",
    metadata: {
      hub: "lead",
      workers: [{ agent: "worker-1", status: "done", summary: "3 tests", spawned: true }],
      unfinished: [],
    },
  });
  expect(prompts[1]).toContain("Still open: worker-1; DONE again ends without them.");
  expect(prompts[2]).toContain("3 tests");
});
