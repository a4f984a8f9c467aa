import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

/** What is told of a text that an agent says at the end of its turn, among others. */
async function toldOf(text: string, spec: Partial<AgentSpec>, others: readonly string[]) {
  const backend = playedBackend(async function* ({ agent: id }) {
    yield said(id === "ada" ? text : "ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("ada", spec));
      for (const id of others) await context.spawn(agent(id));
      await context.turn("ada", "go", { announce: "text" });
      return null;
    },
    { backend },
  );
  await run.over();
  return run.all("author-told").map((event) => event.text);
}

test("whoever names nobody there is told so, with those that there are, the first twenty by name [MSG-2]", async () => {
  expect(await toldOf("@nobody and @noone: look", {}, ["ben", "eve"])).toEqual([
    "You mention @nobody, @noone, but nobody is called so; known: ben, eve.",
  ]);
  expect(await toldOf("@nobody: look", {}, [])).toEqual([
    "You mention @nobody, but nobody is called so; there is no other agent.",
  ]);
  const names = Array.from({ length: 22 }, (_, index) => `w${index}`);
  const [many = ""] = await toldOf("@nobody: look", {}, names);
  expect(many.split("known: ")[1]).toBe(`${names.slice(0, 20).join(", ")} and 2 more.`);
  const [twenty = ""] = await toldOf("@nobody: look", {}, names.slice(0, 20));
  expect(twenty.split("known: ")[1]).toBe(`${names.slice(0, 20).join(", ")}.`);
});

test("whoever names somebody whom it may not write to is told so, and those it may are told what it says [MSG-2, PAT-edges.refused, PAT-speak.mentions]", async () => {
  const spec = { writesTo: ["ben", "#"] };
  expect(await toldOf("@ben and @eve: look", spec, ["ben", "eve"])).toEqual([
    "You may not write to eve in this pattern, so they were not told.",
  ]);
  expect(await toldOf("@ben: look", spec, ["ben", "eve"])).toEqual([]);
});
