import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { isRecord } from "../../../src/foundation/json.ts";
import { buildTalk } from "../../../src/sdk/talk-definition.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { printImported } from "../../../src/workflows/importers/print-imported.ts";
import { parseWorkflow } from "../../../src/workflows/parse-workflow.ts";
import { loadOptions } from "../../workflows/load-options.ts";

const rules = { maxAttempts: 1, retryDelayMs: 0 };
const agents = [
  { id: "a", channels: ["review", "news"] },
  { id: "b", channels: ["review"] },
  { id: "c" },
];

function promptsOf(run: FinishedRun, agent: string): readonly string[] {
  return run
    .all("operation-scheduled")
    .flatMap(({ op, input }) =>
      op.includes(`/${agent}/turn#`) && isRecord(input) ? [String(input["prompt"])] : [],
    );
}

test("what an agent posts to nobody goes to the first of its channels, whoever is told of that hears it, and nobody is woken [PAT-channels, PAT-speak.channel, PAT-task.main]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "mesh", agents, turns: rules, options: { maxRounds: 2 } },
    {
      task: "x",
      turns: {
        a: [{ say: "words of a" }, { say: "DONE: a" }],
        b: [{ say: "words of b" }, { say: "DONE: b" }],
        c: [{ say: "words of c" }, { say: "DONE: c" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  const places = run
    .all("message-posted")
    .filter(({ text }) => text.startsWith("words"))
    .map(({ from, channel, to }) => ({ from, channel, to }));
  expect(places).toEqual([
    { from: "a", channel: "review", to: undefined },
    { from: "b", channel: "review", to: undefined },
    { from: "c", channel: "main", to: undefined },
  ]);
  const heard = Object.fromEntries(
    agents.map(({ id }) => {
      const later = promptsOf(run, id)[1] ?? "";
      return [id, ["a", "b", "c"].filter((other) => later.includes(`words of ${other}`))];
    }),
  );
  expect(heard).toEqual({ a: ["b"], b: ["a"], c: [] });
  const told = agents.map(
    ({ id }) =>
      /(Your channels? (is|are)|The channel that all share is) #[^;:]*/.exec(
        promptsOf(run, id)[0] ?? "",
      )?.[0],
  );
  expect(told).toEqual([
    "Your channels are #review, #news",
    "Your channel is #review",
    "The channel that all share is #main",
  ]);
});

test("an agent with channels reads these and no other; a name in one of them still reaches whoever it is [PAT-channels]", async () => {
  const call = (tool: string, input: Json = {}): Json => ({ call: { tool, arguments: input } });
  const run = await runWorkflowInMemory(
    { pattern: "mesh", agents, turns: rules, options: { maxRounds: 2 } },
    {
      task: "x",
      turns: {
        a: [
          {
            do: [
              call("channel_send", { message: "look, @c" }),
              call("channel_send", { message: "psst", channel: "news" }),
              call("channel_read"),
              call("channel_read", { channel: "#news" }),
              call("channel_read", { channel: "main" }),
            ],
            say: "DONE: a",
          },
        ],
        b: [{ do: [call("channel_read", { channel: "news" })], say: "DONE: b" }],
        c: [
          { do: [call("channel_read", { channel: "review" })], say: "DONE: c" },
          { say: "DONE: c" },
        ],
      },
    },
  );
  const answers = run.all("tool-returned").map(({ agent, isError, result }) => {
    return { agent, isError, texts: String(result) };
  });
  const ofA = answers.filter(({ agent }) => agent === "a").slice(2);
  expect(ofA.map(({ isError }) => isError)).toEqual([false, false, true]);
  expect(ofA[0]?.texts).toContain("look, @c");
  expect(ofA[1]?.texts).toContain("psst");
  expect(ofA[2]?.texts).toContain('"a" is not told of channel "main"');
  expect(ofA[2]?.texts).toContain("#review or #news");
  expect(answers.find(({ agent }) => agent === "b")).toMatchObject({ isError: true });
  expect(answers.find(({ agent }) => agent === "c")).toMatchObject({ isError: false });
  const posted = run.all("message-posted").find(({ text }) => text === "look, @c");
  expect(posted).toMatchObject({ channel: "review", mentions: ["c"] });
});

test("whoever is not told of the main channel is told directly who has left [PAT-channels, PAT-mesh]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "mesh", agents, turns: rules, options: { maxRounds: 2 } },
    {
      task: "x",
      turns: {
        a: [{ say: "hm" }, { say: "DONE: a" }],
        b: [{ say: "hm" }, { say: "DONE: b" }],
        c: [{ say: "FAILED: no" }],
      },
    },
  );
  const told = run.all("message-posted").filter(({ from }) => from === "system");
  expect(told.map(({ channel, to }) => to ?? channel)).toEqual(["main", ["a", "b"]]);
  expect(run.outcome).toBe("completed");
});

test("files name channels with or without #, files of relay keep theirs, and a name that cannot be is told where it stands [PAT-channels, WF-9.relay, PAT-task.channels]", () => {
  const own = parseWorkflow(
    'name: f\npattern: mesh\nagents: [{ id: a, channels: ["#review", main] }]',
    "flow.yaml",
    loadOptions,
  );
  expect(own.definition?.agents).toMatchObject([{ channels: ["review", "main"] }]);
  const bad = parseWorkflow(
    "name: f\npattern: mesh\nagents: [{ id: a, channels: [two words] }]",
    "flow.yaml",
    loadOptions,
  );
  expect(bad.problems).toMatchObject([{ code: "WORKFLOW_VALUE", line: 3, column: 30 }]);
  const relay = parseWorkflow(
    `swarm: { pattern: dag }
agents: [{ name: a, cli: claude, channels: [review] }]
workflows: [{ name: w, steps: [{ name: s, agent: a, task: go }] }]`,
    "relay.yaml",
    loadOptions,
  );
  expect(relay.definition?.agents).toMatchObject([{ id: "a", channels: ["review"] }]);
  if (relay.imported === undefined) throw new Error("not read");
  expect(printImported(relay.imported, "relay.yaml")).toContain("review");
});

test("tasks of the library take channels, and their main one is called main [PAT-channels, PAT-task.channels, PAT-task.main]", () => {
  const run: AgentFunction = () => "DONE";
  const build = (channels: readonly string[]) =>
    buildTalk(
      {
        pattern: "mesh",
        members: [{ name: "a", task: { task: "x", run, channels } }],
        block: {},
        goal: undefined,
      },
      {},
    );
  expect(build(["#review"]).definition.agents).toMatchObject([{ channels: ["review"] }]);
  expect(build(["#review"]).definition.channel).toBe("main");
  expect(() => build(["two words"])).toThrow("is no name of a channel");
});
