import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Context } from "../../../../src/contracts/ports/context.ts";
import { scriptText } from "../../../clients/model-server/script.ts";
import type { AgentsRun } from "../../agents-run.ts";
import { modelTurn } from "./model-turn.ts";

/** A run of a scripted model that keeps its session; `then` comes after its first turn. */
async function talk(then: (context: Context, run: AgentsRun) => Promise<unknown>, more = {}) {
  const { run, cwd, calls } = await modelTurn(
    [{ text: "the secret word is heron" }],
    { session: "keep", permissionMode: "bypass", ...more },
    { after: then },
  );
  await run.over();
  return { run, cwd, calls };
}

test("a session that a person wants shorter is summed up before the next answer, once, and goes on from that [CHAT-1.more]", async () => {
  const { run, calls } = await talk(async (context, { owned }) => {
    await owned.command({ kind: "compact", agent: "coder" }, "ann");
    await context.turn("coder", scriptText({ text: "second" }));
    await context.turn("coder", scriptText({ text: "third" }));
  });
  expect(run.all("compaction-asked")).toMatchObject([{ agent: "coder", by: "ann" }]);
  expect(run.all("context-compacted")).toHaveLength(1);
  expect(run.all("turn-completed").map(({ text }) => text)).toEqual([
    "the secret word is heron",
    "second",
    "third",
  ]);
  const shown = calls().map(({ body }) => JSON.stringify(JSON.parse(body).messages));
  expect(shown[1]).toContain("Write a summary");
  expect(shown.map((text) => text.includes("This is a summary of it"))).toEqual([
    ...[false, false, true, true],
  ]);
  expect(shown[2]).not.toContain("assistant");
});

test("nothing is left out of a session in which nothing was said, and the wish is over [CHAT-1.more]", async () => {
  const { run } = await modelTurn(
    [{ text: "first" }, { text: "never" }],
    { session: "keep" },
    {
      before: ({ owned }) => owned.command({ kind: "compact", agent: "coder" }, "ann"),
    },
  );
  await run.over();
  expect([
    run.all("context-compacted").length,
    run.owned.state.agents.get("coder")?.isToCompact,
  ]).toEqual([0, false]);
});

test("in a turn whose message names tools a model is offered no others, and what a rule leaves out is denied [CHAT-1.more]", async () => {
  const { run, cwd, calls } = await talk(
    async (context, { owned }) => {
      const script = scriptText(
        { calls: [{ shell: "touch made" }] },
        { calls: [{ shell: "touch made; touch other" }] },
        { text: "narrow" },
      );
      const terms = { tools: ["Read", "Bash(touch *)"], model: "anthropic/scripted-small" };
      await owned.command({ kind: "send", text: "look", to: ["coder"], key: "k", terms }, "ann");
      await context.turn("coder", script, { takesMessages: true });
      await context.turn("coder", scriptText({ text: "wide again" }));
    },
    { session: "fresh" },
  );
  expect(run.all("turn-completed").map(({ text }) => text)).toEqual([
    "the secret word is heron",
    "narrow",
    "wide again",
  ]);
  expect(["made", "other"].map((name) => existsSync(join(cwd, name)))).toEqual([true, false]);
  const asked = calls().map(({ body }) => JSON.parse(body));
  const named = asked.map(({ model, tools }) => [
    model,
    tools.map(({ name }: { name: string }) => name).includes("Write"),
  ]);
  expect(named[0]).toEqual(["scripted", true]);
  expect(named[1]).toEqual(["scripted-small", false]);
  expect(named.at(-1)).toEqual(["scripted", true]);
  expect(run.all("permission-resolved").map(({ decision }) => decision)).toContain("denied");
});
