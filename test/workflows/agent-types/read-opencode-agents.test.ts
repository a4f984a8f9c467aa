import { expect, test } from "vitest";
import type { AgentTypeReading } from "../../../src/workflows/agent-types/read-agent-type.ts";
import { readOpencodeAgents } from "../../../src/workflows/agent-types/read-opencode-agents.ts";

const SETTINGS = {
  $schema: "https://opencode.ai/config.json",
  permission: { bash: "ask", webfetch: "deny" },
  tools: { write: false },
  agent: {
    reviewer: {
      description: "Reviews code",
      mode: "subagent",
      model: "anthropic/claude-sonnet-4-5",
      prompt: "Review {{input}}.",
      tools: { edit: false },
      permission: { bash: "allow" },
    },
    build: { model: "anthropic/claude-opus-4-5" },
    old: { description: "Not used", disable: true },
    distant: { description: "Elsewhere", prompt: "{file:./prompts/distant.txt}" },
    short: { prompt: "Be short." },
  },
};

test("an agent of opencode.json has what it says and what the file says for all [ECO-8.opencode-json]", () => {
  expect(readingOf("reviewer")).toMatchObject({
    status: "read",
    type: {
      name: "reviewer",
      description: "Reviews code",
      model: "anthropic/claude-sonnet-4-5",
      prompt: "Review {{input}}.",
      deniedTools: ["Write", "Edit", "MultiEdit", "WebFetch"],
      doubts: [],
    },
  });
  // What it says itself takes the place of what holds for all.
  expect(readingOf("reviewer")).not.toHaveProperty("type.permissionMode");
  expect(readingOf("short")).toMatchObject({
    type: { description: "short", permissionMode: "ask", deniedTools: ["Write", "WebFetch"] },
  });
});

test("what only changes an agent of opencode's own, and what is switched off, is no agent [ECO-8.opencode-json]", () => {
  const names = readOpencodeAgents(JSON.stringify(SETTINGS), "opencode.json").map(
    ({ name }) => name,
  );
  expect(names).toEqual(["reviewer", "distant", "short"]);
});

test("a prompt that only opencode can find is refused with its place [ECO-8.opencode-json]", () => {
  const text = JSON.stringify(SETTINGS, null, 2);
  const line = text.split("\n").findIndex((each) => each.includes("{file:")) + 1;
  expect(errorOf(readingOf("distant", text))).toMatch(
    new RegExp(`^opencode\\.json:${line}:\\d+: its prompt is taken from elsewhere`),
  );
});

test.each([
  ["rules that hold for all and have no tools", { permission: "ask" }],
  ["bounds that Troupe does not know", { agent: { a: { prompt: "x", maxSteps: 3 } } }],
])(
  "an agent with %s is refused, as it could do more than it says [ECO-8.opencode-json]",
  (_title, settings) => {
    const text = JSON.stringify({ agent: { a: { prompt: "x" } }, ...settings });
    expect(readingOf("a", text)?.status).toBe("invalid");
  },
);

test("a file that is no JSON is told, and one without agents has none [ECO-8.opencode-json]", () => {
  const [broken] = readOpencodeAgents("{", "opencode.json");
  expect(broken?.name).toBe("opencode.json");
  expect(broken?.reading.status).toBe("invalid");
  expect(readOpencodeAgents('{ "theme": "dark" } // mine', "opencode.jsonc")).toEqual([]);
  expect(readOpencodeAgents('{ "permission": "allow", "agent": {} }', "opencode.json")).toEqual([]);
});

function readingOf(name: string, text = JSON.stringify(SETTINGS)): AgentTypeReading | undefined {
  return readOpencodeAgents(text, "opencode.json").find((agent) => agent.name === name)?.reading;
}

function errorOf(reading: AgentTypeReading | undefined): string {
  return reading?.status === "invalid" ? reading.error.message : "";
}
