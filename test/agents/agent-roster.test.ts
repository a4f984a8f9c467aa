import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import { toErrorReport } from "../../src/foundation/errors.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

const backend = () =>
  playedBackend(async function* () {
    yield said("ok");
  });

/** The errors of spawning, in order; null where it worked. */
async function spawnAll(context: Context, specs: readonly Parameters<Context["spawn"]>[0][]) {
  const errors: (string | null)[] = [];
  for (const spec of specs) {
    const outcome = await context.spawn(spec).then(
      () => null,
      (error: unknown) => error,
    );
    errors.push(outcome === null ? null : describe(outcome));
  }
  return errors;
}

function describe(error: unknown): string {
  const { code, message, hint = "" } = toErrorReport(error);
  return `${code}: ${message} (${hint})`;
}

test("a slot is taken by a spawn, refused naming its holders, and free again when the agent has exited [AGT-9]", async () => {
  const run = runAgents(
    async (context) => {
      const before = await spawnAll(context, [agent("a"), agent("b"), agent("c")]);
      await context.release("a", "not needed");
      return [...before, ...(await spawnAll(context, [agent("c"), agent("d")]))];
    },
    { backend: backend(), spawnLimits: { maxAgents: 2 } },
  );
  expect(await run.over()).toEqual([
    null,
    null,
    'AGENT_LIMIT_RUNNING: agent "c" would be number 3 of at most 2 live agents (release one first: a, b)',
    null,
    'AGENT_LIMIT_RUNNING: agent "d" would be number 3 of at most 2 live agents (release one first: b, c)',
  ]);
});

test("spawns at the same time cannot take the same slot [AGT-9]", async () => {
  const run = runAgents(
    async (context) => {
      const results = await Promise.allSettled(
        ["a", "b", "c", "d"].map((id) => context.spawn(agent(id))),
      );
      return results.map((result) => result.status);
    },
    { backend: backend(), spawnLimits: { maxAgents: 2 } },
  );
  expect(await run.over()).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  expect(run.all("agent-spawned").map((event) => event.agent)).toEqual(["a", "b"]);
});

test("total and depth of a run's agents have errors of their own [AGT-9]", async () => {
  const child = agent("child", { spawnedBy: "lead" });
  const grandchild = agent("grandchild", { spawnedBy: "child" });
  const run = runAgents(
    (context) =>
      spawnAll(context, [agent("lead"), child, grandchild, agent("LEAD"), agent("x"), agent("y")]),
    { backend: backend(), spawnLimits: { maxTotal: 3 } },
  );
  expect(await run.over()).toEqual([
    null,
    null,
    'AGENT_LIMIT_DEPTH: agent "grandchild" would be spawned 2 levels deep; at most 1 are allowed (its ancestors: child, lead)',
    'AGENT_EXISTS: an agent "LEAD" is already part of this run (choose another id; ids compare without case)',
    null,
    'AGENT_LIMIT_TOTAL: agent "y" would be number 4 of at most 3 agents in the whole run (so far: lead, child, x)',
  ]);
});

test("without a limit at most 16 spawned agents live, and of all others as many as are named [AGT-9]", async () => {
  const named = Array.from({ length: 20 }, (_, index) => agent(`named-${index}`));
  const spawned = Array.from({ length: 17 }, (_, index) =>
    agent(`spawned-${index}`, { spawnedBy: "named-0" }),
  );
  const run = runAgents(
    async (context) => {
      const before = await spawnAll(context, [...named, ...spawned]);
      await context.release("spawned-0", "not needed");
      return [...before, ...(await spawnAll(context, [agent("one", { spawnedBy: "named-0" })]))];
    },
    { backend: backend() },
  );
  const results = await run.over();
  expect(results).toEqual([
    ...Array.from({ length: 36 }, () => null),
    expect.stringMatching(/^AGENT_LIMIT_RUNNING: .*at most 16 live agents .*release one first/),
    null,
  ]);
});
