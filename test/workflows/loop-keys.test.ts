import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import { load, loadKickoff } from "./load-options.ts";
import { loadSteps } from "./steps/load-steps.ts";

const KEYS =
  "tools: [Read, Bash, mcp__issues__search], disallowedTools: [Bash, 'mcp__issues__*'], maxTurns: 7, effort: low, maxOutputTokens: 900, autoApprovePlanMode: true, mcpServers: { issues: { command: npx, args: [x], env: { a: b } }, web: { url: 'http://127.0.0.1/mcp' } }";
const SNAKE = KEYS.replace(/[A-Z](?=\w*:)/g, (letter) => `_${letter.toLowerCase()}`);
const tools = ["channel_send"];

type Loaded = {
  readonly definition?: { readonly agents: readonly AgentSpec[] } | undefined;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
};

/** The same agent in a file of every shape. */
const SHAPES: { readonly [shape: string]: (agent: string, snake: string) => Loaded } = {
  pattern: (agent) =>
    load(
      `name: flow\npattern: fan-out\nagents:\n  a: ${agent}\nsteps: [{ id: s, agent: a, prompt: x }]\n`,
      { tools },
    ),
  kickoff: (agent) => loadKickoff(`name: flow\nagents:\n  a: ${agent}\nkickoff: go\n`, { tools }),
  steps: (_, snake) =>
    loadSteps(
      `id: flow\nagents:\n  a: ${snake}\nsteps:\n  - { id: s, type: agent, agent: a, prompt: x }\n`,
      {
        tools,
      },
    ),
};
const shapes = Object.entries(SHAPES);

test.each(shapes)(
  "an agent of a %s workflow takes the keys of the loop [LOOP-9.keys]",
  (_, read) => {
    const model = "model: anthropic/claude-sonnet-4-5";
    const { definition, problems } = read(`{ ${model}, ${KEYS} }`, `{ ${model}, ${SNAKE} }`);
    expect(problems).toEqual([]);
    expect(definition?.agents[0]).toMatchObject({
      backend: "model",
      tools: ["Read", "Bash", "mcp__issues__search"],
      disallowedTools: ["Bash", "mcp__issues__*"],
      maxTurns: 7,
      effort: "low",
      maxOutputTokens: 900,
      autoApprovePlanMode: true,
      mcpServers: {
        issues: { command: "npx", args: ["x"], env: { a: "b" } },
        web: { url: "http://127.0.0.1/mcp" },
      },
    });
  },
);

test.each(shapes)(
  "a key of the loop on another backend of a %s workflow is an error, never ignored [LOOP-9.keys]",
  (_, read) => {
    const agent = "{ backend: codex, maxTurns: 7 }";
    const { problems } = read(agent, agent.replace("maxTurns", "max_turns"));
    expect(problems.map(({ code }) => code)).toEqual(["WORKFLOW_VALUE"]);
    expect(problems[0]?.message).toMatch(/max_?turns, which belongs to backend: model/i);
  },
);

test.each(shapes)(
  "a tool that does not exist is named, in either list of a %s workflow [LOOP-9.keys, KCK-7]",
  (_, read) => {
    const lists = (denied: string) =>
      `{ backend: claude, tools: [Raed], ${denied}: [Bsah, "Web*"] }`;
    const { problems } = read(lists("disallowedTools"), lists("disallowed_tools"));
    expect(problems.map(({ code }) => code)).toEqual([
      "WORKFLOW_UNKNOWN_TOOL",
      "WORKFLOW_UNKNOWN_TOOL",
    ]);
    expect(problems[0]?.message).toContain('names tool "Raed"');
    expect(problems[1]?.message).toMatch(/names in disallowed_?tools tool "Bsah"/i);
  },
);

test("what stands in for the model leaves the keys of its loop behind [LOOP-9.keys]", () => {
  const text = `name: flow\nagents:\n  a: { model: anthropic/x, ${KEYS} }\nkickoff: go\n`;
  const { definition, problems } = loadKickoff(text, { tools, backendOverride: "script" });
  expect(problems).toEqual([]);
  expect(definition?.agents[0]).toEqual({
    ...{ id: "a", backend: "script", model: "anthropic/x", session: "keep", demandsSignal: false },
    tools: ["Read", "Bash", "mcp__issues__search"],
    disallowedTools: ["Bash", "mcp__issues__*"],
  });
});

test.each([
  ["{ comand: gh }", ["command", 'did you mean "command"?']],
  ["{ command: gh, argz: [x] }", [undefined, 'did you mean "args"?']],
  ["{ ulr: 'http://127.0.0.1/' }", ["url", 'did you mean "url"?']],
])("a server of MCP that says %s is judged as what it is nearest to", (server, [lacks, hint]) => {
  const text = `name: f\npattern: pipeline\nagents: [{ id: a, model: openai/x, mcpServers: { s: ${server} } }]\n`;
  const { problems } = load(text);
  const missing = problems.filter(({ code }) => code === "WORKFLOW_MISSING_KEY");
  expect(missing.map(({ message }) => message)).toEqual(
    lacks === undefined ? [] : [`the key "${lacks}" is missing in agents.a.mcpServers.s`],
  );
  expect(problems.map((problem) => problem.hint).join()).toContain(hint);
});
