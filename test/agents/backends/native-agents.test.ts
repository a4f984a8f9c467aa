import { expect, test } from "vitest";
import { isolatingArguments } from "../../../src/agents/backends/claude/claude-arguments.ts";
import { codexFlags } from "../../../src/agents/backends/codex/codex-flags.ts";
import { geminiSettings } from "../../../src/agents/backends/gemini/gemini-settings.ts";
import { opencodePermissions } from "../../../src/agents/backends/opencode/opencode-permissions.ts";
import { builtInBackends } from "../../../src/agents/backends/registry.ts";
import type { AgentSpec } from "../../../src/contracts/agent.ts";

const cwd = "/srv/app";

/** Which programs leave an agent its own agents and tasks. */
function nativeOn(changes: Partial<AgentSpec>): readonly string[] {
  const spec: AgentSpec = { id: "lead", backend: "any", ...changes };
  const request = { run: "r", session: "s", spec, cwd, env: {} };
  const claude = isolatingArguments(request, undefined).find((each) =>
    each.startsWith("--disallowedTools="),
  );
  const signIn = { by: "nothing" } as const;
  const codex = codexFlags({ request, settings: undefined, signIn });
  const gemini = JSON.stringify(geminiSettings({ env: {}, settings: undefined, request }));
  const isOn = {
    claude: claude?.includes("Task") !== true,
    codex: !codex.includes("multi_agent"),
    gemini: !gemini.includes("invoke_agent"),
    opencode: opencodePermissions(spec.tools)["task"] !== "deny",
  };
  return Object.entries(isOn).flatMap(([name, on]) => (on ? [name] : []));
}

test("an agent that may spawn others has no agents of its program beside them, unless it is allowed [COL-16]", () => {
  const tools = ["Task", "spawn_agent"];
  expect(nativeOn({})).toEqual(["claude", "gemini"]);
  expect(nativeOn({ tools: ["Task"] })).toEqual(["claude", "codex", "gemini"]);
  expect(nativeOn({ spawns: true })).toEqual([]);
  expect(nativeOn({ tools })).toEqual([]);
  expect(nativeOn({ spawns: true, tools })).toEqual([]);
  expect(nativeOn({ spawns: true, tools, nativeAgents: "allow" })).toEqual([
    "claude",
    "codex",
    "gemini",
  ]);
});

test("what a client is told of how long calls may last is what its description says [COL-15]", () => {
  const spec = { id: "lead", backend: "codex" };
  const access = { token: "t", url: "http://127.0.0.1:1/mcp" };
  const flags = codexFlags({
    request: { access, cwd, env: {}, spec },
    settings: undefined,
    signIn: { by: "nothing" },
  });
  expect(flags.join(" ")).toContain('"tool_timeout_sec"=3660');
  const known = builtInBackends.flatMap(({ name, toolCallTimeoutMs }) =>
    toolCallTimeoutMs === undefined ? [] : [[name, toolCallTimeoutMs]],
  );
  expect(Object.fromEntries(known)).toEqual({
    claude: 3_660_000,
    codex: 3_660_000,
    gemini: 600_000,
    opencode: 3_660_000,
  });
});
