import { expect, test } from "vitest";
import { type Dialect, modelRun } from "./model-run.ts";
import { modelTurn } from "./model-turn.ts";

/** What a provider is sent for `effort: low` and `maxOutputTokens: 900`. */
const SENT: { readonly [dialect in Dialect]: readonly [model: string, body: object] } = {
  anthropic: ["anthropic/claude-opus-4-6", { max_tokens: 900, output_config: { effort: "low" } }],
  responses: ["openai/gpt-5.1", { max_output_tokens: 900, reasoning: { effort: "low" } }],
  chat: ["local/qwen3", { max_tokens: 900, reasoning_effort: "low" }],
  "openai-chat": ["openai/gpt-5.1", { max_completion_tokens: 900, reasoning_effort: "low" }],
  google: [
    "google/gemini-3-pro-preview",
    { generationConfig: { maxOutputTokens: 900, thinkingConfig: { thinkingLevel: "low" } } },
  ],
};

test.each(Object.keys(SENT).filter((name): name is Dialect => name in SENT))(
  "effort and the most tokens of an answer reach the model in the words of %s [LOOP-9.keys]",
  async (dialect) => {
    const [model, body] = SENT[dialect];
    const run = await modelRun({ dialect, spec: { model, effort: "low", maxOutputTokens: 900 } });
    await run.turn([{ text: "done" }]);
    expect(JSON.parse(run.server.calls().at(-1)?.body ?? "")).toMatchObject(body);
  },
);

test("a turn ends after as many answers as its agent may give, with what was said last [LOOP-9.keys, LOOP-10]", async () => {
  const run = await modelRun({ spec: { maxTurns: 3 } });
  const steps = Array.from({ length: 5 }, (_, index) => {
    return { text: `answer ${index + 1}`, calls: [{ tool: "LS", args: {} }] };
  });
  const updates = await run.turn(steps);
  expect(updates.at(-1)).toMatchObject({ type: "stop", reason: "max_turns" });
  expect(run.server.calls()).toHaveLength(3);
});

test.each([
  { what: "all", spec: {}, has: ["Read", "Bash", "channel_send"], lacks: [] },
  {
    what: "those that it names, with all of Troupe's",
    spec: { tools: ["Read"] },
    has: ["Read", "channel_send"],
    lacks: ["Bash", "Write"],
  },
  {
    what: "all but those that are denied, Troupe's among them",
    spec: { disallowedTools: ["Bash", "channel_send", "Todo*"] },
    has: ["Read", "Write", "channel_read"],
    lacks: ["Bash", "channel_send", "TodoWrite"],
  },
  {
    what: "none that is denied although it is named",
    spec: { tools: ["Read", "Bash"], disallowedTools: ["Bash"] },
    has: ["Read"],
    lacks: ["Bash", "Write"],
  },
])("a model is offered $what [LOOP-9.keys, SUB-3]", async ({ spec, has, lacks }) => {
  const { run, calls } = await modelTurn([{ text: "done" }], spec);
  await run.over();
  const { tools } = JSON.parse(calls().at(-1)?.body ?? "");
  const names = tools.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(has));
  for (const name of lacks) expect(names).not.toContain(name);
});
