import { describe, expect, test } from "vitest";
import { parseWorkflow } from "../../src/workflows/parse-workflow.ts";
import type { LoadOptions } from "../../src/workflows/resolve/load-options.ts";
import { load, loadKickoff, loadOptions, problemsOf } from "./load-options.ts";

function backendOf(
  agent: string,
  options: Partial<LoadOptions> = {},
  top = "",
): string | undefined {
  const text = `name: flow\npattern: fan-out\n${top}\nagents: [{ id: a, ${agent} }]\n`;
  const { definition, problems } = load(text, options);
  expect(problems).toEqual([]);
  return definition?.agents[0]?.backend;
}

describe("the backend of an agent", () => {
  const override = { backendOverride: "script" };

  test("is its own, else model for provider/name, else the file's, else the default [WF-12.order]", () => {
    const codex = "backend: codex";
    expect(backendOf("backend: gemini, model: a/b", {}, codex)).toBe("gemini");
    expect(backendOf("cli: gemini, model: a/b", {}, codex)).toBe("gemini");
    expect(backendOf("model: anthropic/claude", {}, codex)).toBe("model");
    expect(backendOf("model: claude", {}, codex)).toBe("codex");
    expect(backendOf("model: claude", {}, "cli: goose")).toBe("goose");
    expect(backendOf("model: claude")).toBe("claude");
  });

  test("gives way to --backend where it is a CLI, a model or nothing [WF-12.order]", () => {
    for (const agent of ["name: x", "backend: codex", "cli: claude", "model: a/b", "backend: acp"])
      expect(backendOf(agent, override), agent).toBe("script");
    expect(backendOf("name: x", override, "backend: codex")).toBe("script");
  });

  test("stays in spite of --backend for command, function, human and script [WF-12.order]", () => {
    const claude = { backendOverride: "claude" };
    expect(backendOf("backend: command, command: ls", claude)).toBe("command");
    expect(backendOf("backend: function, module: './a.ts#b'", claude)).toBe("function");
    expect(backendOf("backend: human", claude)).toBe("human");
    expect(backendOf("backend: script, script: []", claude)).toBe("script");
  });

  test("gives way to --backend also there when the cassette has an entry [WF-12.order]", () => {
    const options = { ...override, overridesAlso: (agent: string) => agent === "a" };
    expect(backendOf("backend: command, command: ls", options)).toBe("script");
    const { definition } = load(
      "name: flow\npattern: fan-out\nagents: [{ id: a, backend: command, command: ls }]",
      options,
    );
    expect(definition?.agents[0]).toEqual({ id: "a", backend: "script", demandsSignal: false });
  });
});

test.each([
  ["claude", "anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"],
  ["codex", "openai/gpt-5", "gpt-5"],
  ["gemini", "google/gemini-2.5-pro", "gemini-2.5-pro"],
  ["claude", "claude-sonnet-4-5", "claude-sonnet-4-5"],
  ["claude", "gateway/claude", "gateway/claude"],
  ["opencode", "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
  ["acp", "openai/gpt-5", "openai/gpt-5"],
])("%s gets the model %s as %s [WF-12.order]", (backend, model, expected) => {
  const text = `name: f\npattern: fan-out\nagents: [{ id: a, backend: ${backend}, model: ${model} }]\n`;
  expect(load(text).definition?.agents[0]?.model).toBe(expected);
  const agentDefaults = { models: { [backend]: model } };
  const open = `name: f\npattern: fan-out\nagents: [{ id: a, backend: ${backend} }]\n`;
  expect(load(open, { agentDefaults }).definition?.agents[0]?.model).toBe(expected);
});

test.each([
  ["ask", "ask"],
  ["delegate", "delegate"],
  ["default", "ask"],
  ["acceptEdits", "accept-edits"],
  ["dontAsk", "dont-ask"],
  ["bypassPermissions", "bypass"],
])("the permission mode %s means %s in every shape [AGT-10]", (word, mode) => {
  const listed = `name: f\npattern: fan-out\nagents: [{ id: a, permissionMode: ${word} }]\n`;
  expect(load(listed).definition?.agents[0]?.permissionMode).toBe(mode);
  const kickoff = `name: f\nagents: { a: { model: m, system_prompt: x, permissionMode: ${word} } }\nkickoff: "@a go"\n`;
  expect(loadKickoff(kickoff).definition?.agents[0]?.permissionMode).toBe(mode);
});

test("an agent of the backend acp names its program, one of another backend does not [AGT-3.acp]", () => {
  const acp =
    "name: f\npattern: fan-out\nagents: [{ id: a, backend: acp, command: [my, --acp] }]\n";
  expect(load(acp).definition?.agents[0]?.settings).toEqual({ command: ["my", "--acp"] });
  const codex = acp.replace("acp,", "codex,");
  expect(load(codex).problems.map(({ code }) => code)).toEqual(["WORKFLOW_VALUE"]);
});

const agents = (list: string) => `name: flow\npattern: fan-out\nagents:\n  - { ${list} }\n`;

test("an unknown backend is named with the near one [WF-1, WF-2.load]", () => {
  const { problems } = load(agents("id: a, backend: clade"));
  expect(problems).toEqual([
    {
      code: "WORKFLOW_UNKNOWN_BACKEND",
      severity: "error",
      message: 'agent "a" uses backend "clade", which is no backend',
      hint: expect.stringContaining('did you mean "claude"?'),
      file: "flow.yaml",
      line: 4,
      column: 23,
      endColumn: 28,
    },
  ]);
});

test("an agent for which nothing names a backend is an error [WF-12.order]", () => {
  const { defaultBackend: _, ...options } = loadOptions;
  const { problems } = parseWorkflow(agents("id: a"), "flow.yaml", options);
  expect(problems.map(({ code, line, column }) => [code, line, column])).toEqual([
    ["WORKFLOW_NO_BACKEND", 4, 11],
  ]);
});

test.each([
  [
    "id: a, command: ls",
    "WORKFLOW_VALUE 4:14 agents.a has command, which belongs to backend: command",
  ],
  ["id: a, backend: command", "WORKFLOW_VALUE 4:11 agents.a has backend: command but no command"],
  ["id: a, backend: function", "WORKFLOW_VALUE 4:11 agents.a has backend: function but no module"],
  [
    "id: a, backend: function, module: x.ts",
    'WORKFLOW_VALUE 4:41 agents.a.module cannot be "x.ts"',
  ],
  [
    "id: a, backend: codex, cli: claude",
    'WORKFLOW_VALUE 4:35 agent "a" has backend codex and cli claude, which mean the same',
  ],
])("{ %s } is refused [WF-1]", (agent, problem) => {
  expect(problemsOf(agents(agent))).toEqual([problem]);
});

test.each(["..", "../other", "/etc", "a/../../b"])(
  "the directory %s leaves the project [WF-2.load, T8]",
  (cwd) => {
    expect(problemsOf(agents(`id: a, cwd: "${cwd}"`))).toEqual([
      `WORKFLOW_PATH_OUTSIDE 4:19 agents.a.cwd: "${cwd}" leads out of /project`,
    ]);
  },
);

test("directories are relative to where agents start, modules to the file [WF-2.load]", () => {
  const text = agents("id: a, cwd: api, backend: function, module: '../lib/agents.ts#summarise'");
  const options = { cwd: "/project/packages", fileDirectory: "/project/workflows" };
  expect(load(text, options).definition?.agents[0]).toEqual({
    id: "a",
    backend: "function",
    cwd: "/project/packages/api",
    settings: { module: "/project/lib/agents.ts#summarise" },
  });
  const outside = agents("id: a, backend: function, module: '../../x.ts#run'");
  expect(problemsOf(outside, options)).toEqual([
    'WORKFLOW_PATH_OUTSIDE 4:41 agents.a.module: "../../x.ts#run" leads out of /project',
  ]);
});
