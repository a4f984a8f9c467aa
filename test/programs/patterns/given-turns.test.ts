import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const again = ["DONE: first", "DONE: second"];

test.each([
  ["consensus", { discussion: 1 }, ["hm", "VOTE: approve"]],
  ["mesh", {}, ["hm", "DONE: a"]],
  ["debate", { maxRounds: 2 }, ["ARGUMENT: x", "ARGUMENT: y"]],
  ["handoff", {}, ["HANDOFF: b yours", "DONE: a"]],
  ["cascade", {}, ["DONE [confidence=0.1]: a", "never"]],
] as const)(
  "in %s a message to an agent that has had its turn waits for the next one that the program gives it, if there is one [PAT-turns.given]",
  async (pattern, options, answers) => {
    const count = pattern === "cascade" ? 1 : 2;
    const working = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const agents = [
      { id: "a", session: "keep" },
      { id: "b", backend: "function" },
    ] as const;
    const started = await startInMemory(
      { pattern, turns, options, agents },
      {
        task: "go",
        turns: { a: answers.map((say) => ({ say })) },
        functions: {
          b: async () => {
            working.resolve();
            await gate.promise;
            return pattern === "handoff" ? "HANDOFF: a back" : "b";
          },
        },
      },
    );
    await started.event("turn-completed", ({ agent }) => agent === "a");
    await working.promise;
    await started.run.command({ kind: "send", text: "psst", to: ["a"], key: "k" }, "user");
    const { id } = await started.event("message-posted", ({ text }) => text === "psst");
    await settle();
    gate.resolve();
    const run = await started.over();
    expect(run.outcome).toBe("completed");
    const given = run.all("turn-started").filter(({ agent }) => agent === "a");
    const has = given.map(({ items }) => items.map((item) => [item.kind, "id" in item && item.id]));
    const prompt = ["prompt", false];
    expect(has).toEqual([[prompt], [prompt, ["message", id]]].slice(0, count));
  },
);

test("reports wake the agents of hub-spoke, hierarchical, collab and team; nothing wakes those whose turns a program gives [PAT-turns.given, PAT-turns.woken]", async () => {
  const lead = { id: "a", role: "lead" } as const;
  const wakes: { [pattern: string]: ReadonlySet<string | undefined> } = {};
  for (const { name, members } of await loadPatterns([
    ...["consensus", "mesh", "debate", "handoff", "cascade"],
    ...["hub-spoke", "hierarchical", "collab", "team"],
  ])) {
    const agents = name === "collab" ? [lead] : [lead, { id: "b", reportsTo: "a" }];
    const options = name === "team" ? { name: "t" } : {};
    const cast = members?.(defineTestWorkflow({ pattern: name, agents, options })) ?? [];
    wakes[name] = new Set(cast.map((agent) => agent.wakes));
  }
  const [never, reports] = [new Set(["never"]), new Set(["reports"])];
  expect(wakes).toEqual({
    ...{ consensus: never, mesh: never, debate: never, handoff: never, cascade: never },
    ...{ "hub-spoke": reports, hierarchical: reports, collab: reports, team: reports },
  });
});

const writing: Json = [{ do: [{ send: { to: "b", text: "psst" } }], say: "ARGUMENT: x" }];
const speaking: Json = [{ do: [{ send: { text: "all of you" } }], say: "ARGUMENT: x" }];

test.each([
  ["debate", "write to user or the channel instead"],
  ["handoff", "write to user or the channel instead"],
  ["cascade", "say it in the answer that ends the turn"],
])(
  "nobody in a %s may write to another agent, and whoever tries is told what to do instead [PAT-edges.apart, PAT-edges.refused]",
  async (pattern, hint) => {
    const agents = [{ id: "a" }, { id: "b" }];
    const start = async (a: Json) =>
      runWorkflowInMemory(
        { pattern, agents, turns },
        { task: "go", turns: { a, b: [{ say: "ARGUMENT: y" }, ...again.map((say) => ({ say }))] } },
      );
    const written = await start(writing);
    expect(written.state.steps.byPath.get("a")).toMatchObject({
      status: "failed",
      error: { code: "MESSAGE_NOT_PERMITTED", hint },
    });
    expect(written.all("message-posted").filter(({ text }) => text === "psst")).toEqual([]);
    const spoken = await start(speaking);
    const posted = spoken.all("message-posted").filter(({ text }) => text === "all of you");
    expect(posted.length > 0).toBe(pattern !== "cascade");
  },
);

test("signals of roles count only of those who have the role: nobody else votes, hands over, judges or finishes for a team [PAT-edges.signals]", async () => {
  const say = "VOTE: approve\nHANDOFF: b yours\nVERDICT: mine\nTEAM_DONE: all\nDONE: a";
  const run = await runWorkflowInMemory(
    { pattern: "mesh", agents: [{ id: "a" }, { id: "b" }], turns },
    { task: "go", turns: { a: [{ say }], b: [{ say: "DONE: b" }] } },
  );
  expect(run.result).toMatchObject({ output: "## a\n\na\n\n## b\n\nb", metadata: { rounds: 1 } });
  const given = run.all("signal-received").filter(({ agent }) => agent === "a");
  const refusals = given.map(({ signal, counted, refused = "" }) => [
    signal.kind,
    counted,
    refused,
  ]);
  expect(refusals).toEqual([
    ["done", true, ""],
    ["vote", false, "only voters vote"],
    ["handoff", false, "only the agent that holds the task hands it over"],
    ["verdict", false, "only the judge gives a verdict"],
    ["team_done", false, "only coordinators finish for a team"],
  ]);
});
