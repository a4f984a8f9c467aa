import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { AgentBackend } from "../../src/contracts/backend.ts";
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

test.each<[Partial<AgentBackend>, Partial<AgentSpec>, string | undefined]>([
  [{ conventions: "none" }, {}, undefined],
  [{ conventions: "none", toolPrefix: "mcp__" }, { spawns: true }, undefined],
  [{ conventions: "text", toolPrefix: "mcp__" }, {}, undefined],
  [{ conventions: "text", toolPrefix: "mcp__" }, { spawns: true }, "mcp__"],
  [{ conventions: "text" }, { spawns: true }, ""],
  [{ conventions: "tools", toolPrefix: "mcp__" }, {}, "mcp__"],
  [{ conventions: "tools" }, {}, undefined],
])(
  "of a backend with %j an agent with %j is told of Troupe's tools after %j",
  async (changes, more, prefix) => {
    const played = { ...backend(), ...changes };
    const run = runAgents(
      async (context) => {
        const { toolPrefix, ...handle } = await context.spawn(agent("a", more));
        const again = await context.spawn(agent("a", more), { isShared: true });
        return [toolPrefix ?? null, again.toolPrefix ?? null, handle.name, handle.demandsSignal];
      },
      { backend: played },
    );
    expect(await run.over()).toEqual([prefix ?? null, prefix ?? null, "a", false]);
  },
);

test.each([
  ["exact", undefined],
  ["free", undefined],
  ["tokens", "unknown"],
  ["none", "unknown"],
  [undefined, "unknown"],
] as const)(
  "of a backend that meters %s what it does not tell is %s [AGT-15]",
  async (metering, untold) => {
    const played = { ...backend(), ...(metering === undefined ? {} : { metering }) };
    const run = runAgents(
      async (context) => {
        await context.spawn(agent("a"));
        return null;
      },
      { backend: played },
    );
    await run.over();
    expect(run.all("agent-spawned").map((event) => event.untold)).toEqual([untold]);
  },
);

test("a shadow watches another agent that takes part and is none itself [MSG-10]", async () => {
  const binding = { receiveIncoming: true, receiveOutgoing: true, speakOn: [] };
  const shadow = (id: string, of: string) => agent(id, { shadow: { of, ...binding } });
  const run = runAgents(
    async (context) => [
      ...(await spawnAll(context, [
        ...[agent("a"), shadow("B", "b"), shadow("b", "nobody"), shadow("b", "A")],
        shadow("c", "b"),
      ])),
      await context.turn("b", "go").then(
        () => "went",
        (error: unknown) => describe(error),
      ),
    ],
    { backend: backend() },
  );
  expect(await run.over()).toEqual([
    null,
    expect.stringMatching(/^AGENT_SHADOW_INVALID: .*which is itself/),
    expect.stringMatching(/^AGENT_SHADOW_INVALID: .*which takes no part in this run yet/),
    null,
    expect.stringMatching(/^AGENT_SHADOW_INVALID: .*which is a shadow too/),
    expect.stringMatching(/^AGENT_/),
  ]);
  // It has to remember what it saw.
  expect(run.owned.state.agents.get("b")?.spec.session).toBe("keep");
  expect(run.owned.state.agents.get("a")?.spec.session).toBeUndefined();
});

test("an agent that has exited takes no turn, and one that comes back counts once in the total [AGT-9]", async () => {
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      const statuses = [await context.release("a", "enough"), await context.release("a", "again")];
      const refused = await context.turn("a", "go").then(() => "went", describe);
      const others = await spawnAll(context, [agent("a"), agent("b"), agent("c")]);
      return [...statuses, refused, ...others];
    },
    { backend: backend(), spawnLimits: { maxTotal: 2 } },
  );
  expect(await run.over()).toEqual([
    ...["starting", "exited"],
    expect.stringMatching(/^AGENT_GONE: agent "a" takes no more turns: released/),
    ...[null, null, expect.stringMatching(/^AGENT_LIMIT_TOTAL/)],
  ]);
  expect(run.all("agent-exited").map((event) => event.agent)).toEqual(["a", "a", "b"]);
});
