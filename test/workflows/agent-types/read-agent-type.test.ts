import { expect, test } from "vitest";
import { readAgentType } from "../../../src/workflows/agent-types/read-agent-type.ts";
import type { AgentTypeFinder } from "../../../src/workflows/resolve/agent-type.ts";
import { loadSteps } from "../steps/load-steps.ts";

const FILE = ".claude/agents/reviewer.md";

const read = (text: string) => readAgentType(text, FILE);
const errorOf = (text: string) => {
  const reading = read(text);
  return reading.status === "invalid" ? `${reading.error.code} ${reading.error.message}` : "";
};

/** A finder that knows one file, read as the project has it. */
function finderOf(text: string): AgentTypeFinder {
  const reading = read(text);
  return {
    find: (name) => {
      if (name !== "reviewer") return undefined;
      return reading.status === "read"
        ? { status: "found", type: reading.type }
        : { status: "refused", error: reading.error };
    },
    names: () => ["reviewer"],
  };
}

test("an agent type says who it is in YAML and what it does below [SUB-2, ECO-8.claude]", () => {
  const text = [
    "---",
    "name: reviewer",
    "description: Reads code",
    "tools: Read, Grep, Bash(git log *, git diff *)",
    "disallowedTools: [Write, Edit]",
    "model: opus",
    "permissionMode: acceptEdits",
    "isolation: worktree",
    "limits: { processes: 20, memory: 200MiB }",
    "color: blue",
    "---",
    "You are a reviewer.",
    "{{input}}",
  ].join("\n");
  expect(read(text)).toEqual({
    status: "read",
    type: {
      name: "reviewer",
      description: "Reads code",
      prompt: "You are a reviewer.\n{{input}}",
      file: FILE,
      source: text,
      promptStart: text.indexOf("You"),
      tools: ["Read", "Grep", "Bash(git log *, git diff *)"],
      deniedTools: ["Write", "Edit"],
      model: "opus",
      permissionMode: "accept-edits",
      isolation: "worktree",
      limits: { processes: 20, memoryBytes: 209_715_200 },
      doubts: [],
    },
  });
});

test("Windows line ends, a byte order mark and an inherited model mean what they mean elsewhere [SUB-2]", () => {
  const reading = read(
    "\uFEFF---\r\nname: a\r\ndescription: b\r\nmodel: inherit\r\n---\r\nDo it.\r\n",
  );
  expect(reading).toMatchObject({ status: "read", type: { name: "a", prompt: "Do it.\r\n" } });
  expect(reading.status === "read" ? reading.type.model : "").toBeUndefined();
});

test.each([
  [
    "no head",
    "You are a reviewer.\n",
    "AGENT_TYPE_INVALID .claude/agents/reviewer.md:1:1: it has no name and no description",
  ],
  [
    "an open head",
    "---\nname: a\ndescription: b\n",
    "AGENT_TYPE_INVALID .claude/agents/reviewer.md:1:1: it has no name and no description",
  ],
  [
    "an empty head",
    "---\n---\nDo it.\n",
    "AGENT_TYPE_INVALID .claude/agents/reviewer.md:1:1: it has no name and no description",
  ],
  [
    "no name",
    "---\ndescription: b\n---\n",
    'AGENT_TYPE_INVALID .claude/agents/reviewer.md:2:1: the key "name" is missing in the head of the file',
  ],
  [
    "no description",
    "---\nname: a\n---\n",
    'AGENT_TYPE_INVALID .claude/agents/reviewer.md:2:1: the key "description" is missing in the head of the file',
  ],
  [
    "a bad name",
    "---\nname: a b\ndescription: c\n---\n",
    'AGENT_TYPE_INVALID .claude/agents/reviewer.md:2:7: "a b" cannot be the name of an agent',
  ],
  [
    "YAML that cannot be read",
    "---\nname: a\ndescription: b: c\n---\n",
    "AGENT_TYPE_INVALID .claude/agents/reviewer.md:3:14: this is not valid YAML: nested mappings are not allowed in compact mappings",
  ],
  [
    "a tag",
    "---\nname: !!js a\ndescription: b\n---\n",
    "AGENT_TYPE_INVALID .claude/agents/reviewer.md:2:12: the YAML tag !!js is not allowed",
  ],
  [
    "a wrong mode",
    "---\nname: a\ndescription: b\npermissionMode: root\n---\n",
    'AGENT_TYPE_INVALID .claude/agents/reviewer.md:4:17: permissionMode cannot be "root"',
  ],
])("a file with %s is refused with its path and line [SUB-2]", (_, text, message) => {
  expect(errorOf(text)).toBe(message);
});

test.each([
  ["disabledTools: [Bash]", "disabledTools"],
  ["permissions: { edit: deny }", "permissions"],
  ["allowed-tools: Read", "allowed-tools"],
  ["readonly: true", "readonly"],
])("%s would be lost, so the type is refused [ECO-8.bounds]", (line, key) => {
  expect(errorOf(`---\nname: a\ndescription: b\n${line}\n---\n`)).toBe(
    `AGENT_TYPE_INVALID .claude/agents/reviewer.md:4:1: ${key} is no key of agent types: the agent could do more than it says`,
  );
});

test("what opencode says of tools and permissions holds [ECO-8.opencode]", () => {
  const head =
    "name: a\ndescription: b\ntools: { write: false, bash: true, mcp__git__push: false }";
  const permission = "permission: { edit: deny, bash: ask, webfetch: allow }";
  expect(read(`---\n${head}\n${permission}\n---\n`)).toMatchObject({
    status: "read",
    type: {
      deniedTools: ["Write", "mcp__git__push", "Edit", "MultiEdit", "NotebookEdit"],
      permissionMode: "ask",
      doubts: [],
    },
  });
});

test.each([
  ['{ "git *": allow, "*": deny }', { deniedTools: ["Bash"] }],
  ['{ "*": ask, "git status*": allow }', { permissionMode: "ask" }],
  ['{ "*": allow }', {}],
])(
  "rules of opencode for single commands, %s, become the strictest for all, with a note [ECO-8.opencode]",
  (rules, bound) => {
    const reading = read(`---\nname: a\ndescription: b\npermission:\n  bash: ${rules}\n---\n`);
    if (reading.status !== "read") throw reading.error;
    const { deniedTools, permissionMode, doubts } = reading.type;
    expect(JSON.parse(JSON.stringify({ deniedTools, permissionMode }))).toEqual(bound);
    expect(doubts.map(({ message }) => message)).toEqual([
      ".claude/agents/reviewer.md:5:3: permission.bash has rules for single commands, which are not kept: the strictest holds for all",
    ]);
  },
);

test("what opencode says of steps and of agents that are switched off is refused, its looks are passed over [ECO-8.opencode, ECO-8.bounds]", () => {
  const text = (line: string) => `---\nname: a\ndescription: b\nmode: subagent\n${line}\n---\n`;
  expect(read(text("hidden: true"))).toMatchObject({ type: { doubts: [] } });
  expect(errorOf(text("maxSteps: 3"))).toContain("maxSteps is no key of agent types");
  expect(errorOf(text("disable: true"))).toContain("disable is no key of agent types");
});

test("where opencode switches all tools off, those that are on are all there is [ECO-8.opencode]", () => {
  const text =
    '---\nname: a\ndescription: b\ntools: { "*": false, read: true, bash: false }\n---\n';
  expect(read(text)).toMatchObject({ type: { tools: ["Read"], deniedTools: ["Bash"] } });
});

test("tools are known in lower case too [ECO-8.opencode]", () => {
  const text = "---\nname: a\ndescription: b\ntools: read, grep\ndisallowedTools: [bash]\n---\n";
  expect(read(text)).toMatchObject({ type: { tools: ["Read", "Grep"], deniedTools: ["Bash"] } });
});

test("a tool that is kept from an agent and that nobody knows is an error [ECO-8.bounds]", () => {
  const text = REVIEWER.replace("disallowedTools: Bash", "disallowedTools: Bash(git *), mcp__x__*");
  const { problems } = loadSteps(FLOW, { agentTypes: finderOf(text), tools: [] });
  expect(
    problems.filter(({ severity }) => severity === "error").map(({ message }) => message),
  ).toEqual([".claude/agents/reviewer.md:1:1: Bash(git *) is the name of no tool"]);
});

const REVIEWER = `---
name: reviewer
description: Reads code
model: opus
tools: Read, Grep, Bash
disallowedTools: Bash
maxTurns: 3
tols: x
---
Review {{input}}.
{{#if context.anything}}{{context.anything}}{{/if}}
{{code.files}}
`;
const FLOW = `id: f
steps:
  - { id: code, type: agent, agent: coder, next: review }
  - { id: review, type: agent, agent: reviewer, input: code }
agents: { coder: {} }
`;

test("a step finds its agent among the agent types, whose body is its prompt [STP-5, STP-12, SUB-2, WF-13]", () => {
  const loaded = loadSteps(FLOW, { agentTypes: finderOf(REVIEWER) });
  expect(loaded.definition?.agents).toEqual([
    { id: "coder", backend: "claude" },
    {
      ...{ id: "reviewer", backend: "claude", model: "opus" },
      ...{ tools: ["Read", "Grep", "Bash"], disallowedTools: ["Bash"] },
    },
  ]);
  expect(loaded.definition?.prompts).toEqual({
    reviewer:
      "Review {{input}}.\n{{#if context.anything}}{{context.anything}}{{/if}}\n{{code.files}}",
  });
  expect(loaded.backendOrigins.get("reviewer")).toBe("default");
});

test("what an agent type asks for and nothing does is a warning, never silence [SUB-2, SUB-3, ECO-8.notes]", () => {
  const { problems } = loadSteps(FLOW, {
    agentTypes: finderOf(REVIEWER.replace("Grep", "Grpe")),
    tools: [],
  });
  expect(
    problems.map(({ severity, line, column, message }) => [severity, line, column, message]),
  ).toEqual([
    ["warning", 4, 39, ".claude/agents/reviewer.md:8:1: tols is no key of agent types"],
    [
      "warning",
      4,
      39,
      ".claude/agents/reviewer.md:1:1: maxTurns is not carried out by backend claude",
    ],
    ["warning", 4, 39, ".claude/agents/reviewer.md:1:1: Grpe is the name of no tool"],
  ]);
});

test("a model that only claude has is left to the backend that the agent really gets [SUB-2, WF-12.order]", () => {
  const { definition } = loadSteps(FLOW, {
    agentTypes: finderOf(REVIEWER),
    backendOverride: "codex",
  });
  expect(definition?.agents[1]).toEqual({
    id: "reviewer",
    backend: "codex",
    tools: ["Read", "Grep", "Bash"],
    disallowedTools: ["Bash"],
  });
});

test("an agent type whose prompt cannot be filled in is refused where a step names it [WF-2.load, WF-13]", () => {
  const text = "---\nname: reviewer\ndescription: b\n---\nDo {{a b}}\nwith {{plan.files}}\n";
  const { problems } = loadSteps(FLOW, { agentTypes: finderOf(text) });
  expect(problems.map(({ code, line, column, message }) => [code, line, column, message])).toEqual([
    ["AGENT_TYPE_INVALID", 4, 39, expect.stringContaining(".claude/agents/reviewer.md:5:4: ")],
    [
      "AGENT_TYPE_VARIABLE",
      4,
      39,
      '.claude/agents/reviewer.md:6:6: the prompt takes {{plan.files}}, which step "review" does not give',
    ],
  ]);
});

test("an entry of the file beats an agent type of the same name [STP-12]", () => {
  const { definition } = loadSteps(FLOW.replace("{ coder: {} }", "{ coder: {}, Reviewer: {} }"), {
    agentTypes: finderOf(REVIEWER),
  });
  expect(definition?.agents.map(({ id }) => id)).toEqual(["coder", "Reviewer"]);
  expect(definition?.prompts).toEqual({});
});

test("an agent type that cannot be used is an error even when a backend would stand in [STP-12]", () => {
  const { problems } = loadSteps(FLOW, {
    agentTypes: finderOf("nothing"),
    backendOverride: "script",
  });
  expect(problems).toMatchObject([{ code: "AGENT_TYPE_INVALID", line: 4, column: 39 }]);
});
