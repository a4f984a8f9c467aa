import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { TurnClient } from "../../src/contracts/turn-client.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

const HEAD = "[troupe] This plan of yours was approved of. Keep to it, or say what has changed:";

/** Three turns of one agent that plans in its first; what stood in the prompt of each. */
function planned(plan: (client: TurnClient) => Promise<unknown>, spec: Partial<AgentSpec> = {}) {
  const backend = playedBackend(async function* ({ turn, client }) {
    if (turn === 1) await plan(client);
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", spec));
      for (const word of ["one", "two", "three"]) await context.turn("a", word);
      return null;
    },
    { backend, clock: createManualClock() },
  );
  const prompts = () => backend.prompts.map(({ prompt }) => prompt);
  return { run, prompts };
}

async function showPlan(client: TurnClient, plan: string): Promise<void> {
  await client.plan({ enter: true });
  await client.plan({ plan });
}

test("a plan that a person approves of stands in the prompt of the next turn, and of no other [TEAM-9.plan]", async () => {
  const { run, prompts } = planned((client) => showPlan(client, "first\nthen second"));
  await settle();
  const [asked] = run.owned.state.inbox.values();
  expect(asked).toMatchObject({ kind: "approval", show: "first\nthen second" });
  const approval = asked?.id ?? "";
  await run.owned.command({ kind: "resolve-approval", approval, decision: "approved" }, "user");
  await run.over();
  expect(prompts()).toEqual([
    expect.not.stringContaining("plan"),
    expect.stringContaining(`${HEAD}\n> first\n> then second\n`),
    expect.not.stringContaining("plan"),
  ]);
});

test("a long plan is named by its beginning, one that is approved of by rule as well [TEAM-9.plan]", async () => {
  const { run, prompts } = planned((client) => showPlan(client, "x".repeat(5000)), {
    autoApprovePlanMode: true,
  });
  await run.over();
  expect(prompts()[1]).toContain(`${HEAD}\n> ${"x".repeat(4000)}…`);
  expect(prompts()[2]).not.toContain("plan");
});

test("a plan that is rejected is not named [TEAM-9.plan]", async () => {
  const { run, prompts } = planned((client) => showPlan(client, "all at once"));
  await settle();
  const [asked] = run.owned.state.inbox.values();
  expect(asked?.kind).toBe("approval");
  const approval = asked?.id ?? "";
  await run.owned.command({ kind: "resolve-approval", approval, decision: "rejected" }, "user");
  await run.over();
  expect(prompts().join("\n")).not.toContain("all at once");
});
