import { expect, test } from "vitest";
import { narrowed, specUnder, termsOf } from "../../src/agents/turn-terms.ts";
import type { RunCommand } from "../../src/contracts/events/run-events.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

type Orders = readonly (RunCommand | string)[];

/** An agent that is told one text after the other, with orders of a person between. */
async function told(orders: Orders, { resume = "token", lines = ["ok"] } = {}) {
  const texts = [...lines];
  const backend = playedBackend(async function* () {
    yield said(texts.shift() ?? "ok");
  });
  const open = backend.open.bind(backend);
  const opening: typeof open = async (request) => {
    const session = await open(request);
    if (resume === "token") return session;
    const { resume: _, ...forgetful } = session;
    return forgetful;
  };
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep", model: "first", tools: ["Read", "Bash"] }));
      for (const order of orders)
        if (typeof order === "string") await context.turn("a", order);
        else await run.owned.command(order, "ann");
      return null;
    },
    { backend: { ...backend, open: opening } },
  );
  await run.over();
  return { backend, run };
}

test("from its next turn on an agent asks the model that a person sets, and goes on with its session [CHAT-1.more]", async () => {
  const { backend, run } = await told([
    "one",
    { kind: "set-model", agent: "A", model: "second" },
    "two",
    "three",
    { kind: "set-model", agent: "a" },
    "four",
  ]);
  expect(backend.opened.map(({ spec, resume }) => [spec.model, resume])).toEqual([
    ["first", undefined],
    ["second", "token of a/main 1"],
    ["first", "token of a/main 2"],
  ]);
  expect(run.all("turn-started").map(({ terms }) => terms)).toEqual([
    undefined,
    { model: "second" },
    { model: "second" },
    undefined,
  ]);
  expect(run.all("agent-model-set").map(({ agent: id, by }) => [id, by])).toEqual([
    ["a", "ann"],
    ["a", "ann"],
  ]);
});

test("a person lets an agent plan and ends that, and its program is told both times [CHAT-1.more]", async () => {
  const { backend } = await told([
    "one",
    { kind: "set-mode", agent: "a", mode: "plan" },
    "two",
    { kind: "set-mode", agent: "a" },
    "three",
  ]);
  const modes = backend.opened.map(({ spec }) => spec.permissionMode);
  expect(modes).toEqual([undefined, "plan", undefined]);
});

test("a session that remembers nothing is told what was said last when another process goes on with it [CHAT-1.more]", async () => {
  const orders: Orders = ["one", { kind: "set-model", agent: "a", model: "second" }, "two"];
  const { backend } = await told(orders, { resume: "none", lines: ["the sky is green"] });
  expect(backend.opened.map(({ spec }) => spec.model)).toEqual(["first", "second"]);
  expect(backend.prompts[1]?.prompt).toContain("the sky is green");
});

test("what a message says of the tools of its turn takes away and never adds [CHAT-1.more]", () => {
  const terms = termsOf({ model: "set" }, [
    { terms: { model: "asked", tools: ["Read", "Write", "Bash(git add *)"] } },
    { terms: { tools: ["Bash(git add *)", "Write"] } },
    {},
  ]);
  expect(terms).toEqual({ model: "asked", tools: ["Write", "Bash(git add *)"] });
  const lists = [["Read", "Write"], ["Read"], ["Write"]].map((tools) => ({ terms: { tools } }));
  expect(termsOf({ model: undefined }, lists)).toEqual({ tools: [] });
  expect(narrowed(undefined, ["Read", "no rule", "Read(x)"])).toEqual(["Read"]);
  const spec = agent("a", { tools: ["Bash", "Read", "mcp__db"] });
  const under = (tools: readonly string[]) =>
    specUnder({ spec, mode: undefined }, { tools }, {}).tools;
  expect(under(["Write", "Bash(git add *)"])).toEqual(["Bash"]);
  expect(under(["mcp__db__query", "*"])).toEqual(["mcp__db__query", "Bash", "Read", "mcp__db"]);
  expect(specUnder({ spec: agent("b"), mode: undefined }, { tools: ["Read"] }, {}).tools).toEqual([
    "Read",
  ]);
});
