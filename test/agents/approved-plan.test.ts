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

test("planning begins once, ends with the approval, and lets an agent that is declared to plan ask for everything [LOOP-14.people]", async () => {
  const answers: unknown[] = [];
  const work = async (client: TurnClient) => {
    answers.push(await client.plan({ plan: "too early" }));
    answers.push(await client.plan({ enter: true }));
    answers.push(await client.plan({ enter: true }));
    answers.push(await client.plan({ plan: "x".repeat(4000) }));
  };
  const decided = async (spec: Partial<AgentSpec>, decision: "approved" | "rejected") => {
    const { run, prompts } = planned(work, spec);
    for (;;) {
      await settle();
      const [asked] = run.owned.state.inbox.values();
      if (asked === undefined) break;
      const { id: approval } = asked;
      const why = { decision, comment: "so be it" };
      await run.owned.command({ kind: "resolve-approval", approval, ...why }, "ann");
    }
    await run.over();
    const modes = run.all("agent-mode-set").map(({ mode, by, turn }) => [mode, by, turn]);
    return { modes, answers: answers.splice(0), prompts: prompts() };
  };
  const free = { isApproved: true };
  const yes = { isApproved: true, comment: "so be it" };
  const no = { isApproved: false, comment: "so be it" };
  const approved = await decided({}, "approved");
  expect(approved.answers).toEqual([free, free, free, yes]);
  expect(approved.modes).toEqual([
    ["plan", "agent", 1],
    [undefined, "ann", 1],
  ]);
  expect(approved.prompts[1]).toContain(`> ${"x".repeat(4000)}\n`);
  const rejected = await decided({}, "rejected");
  expect(rejected.answers).toEqual([free, free, free, no]);
  expect(rejected.modes).toEqual([["plan", "agent", 1]]);
  const planner = await decided({ permissionMode: "plan" }, "approved");
  expect(planner.answers).toEqual([yes, free, free, yes]);
  expect(planner.modes).toEqual([
    ["ask", "ann", 1],
    ["plan", "agent", 1],
    ["ask", "ann", 1],
  ]);
  const { answers: byRule } = await decided({ autoApprovePlanMode: true }, "rejected");
  expect(byRule).toEqual([free, free, free, free]);
});
