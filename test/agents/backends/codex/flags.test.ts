import { expect, test } from "vitest";
import { codexFlags, type FlagSources } from "../../../../src/agents/backends/codex/codex-flags.ts";
import { scriptOf } from "../../../../src/agents/backends/codex/shell-script.ts";
import { askingMode, threadParams } from "../../../../src/agents/backends/codex/thread-params.ts";
import { tomlValue } from "../../../../src/agents/backends/codex/toml-value.ts";
import type { SessionRequest } from "../../../../src/contracts/backend.ts";
import { confinement } from "../../../host/confinement.ts";

const spec = { id: "worker", backend: "codex" };
const key = { by: "key", variable: "OPENAI_API_KEY" } as const;
const login = { by: "login", directory: "/home/ada/.codex" } as const;

function flagsOf(
  request: Partial<SessionRequest>,
  sources: Partial<FlagSources> = {},
): readonly string[] {
  const asked = { cwd: "/srv/app", env: {}, spec, ...request };
  return codexFlags({ request: asked, settings: undefined, signIn: key, ...sources });
}

test.each([
  ["plain", '"plain"'],
  ['"]\n[mcp_servers.evil]\ncommand="sh', String.raw`"\"]\n[mcp_servers.evil]\ncommand=\"sh"`],
  ["\u007f\ud800", '"\\u007f\ufffd"'],
  [{ "a.b": [true, 1] }, '{"a.b"=[true,1]}'],
])("hostile texts stay inside of their quotes: %j [SEC-1, T6]", (value, text) => {
  expect(tomlValue(value)).toBe(text);
});

test("it is said of every directory up to the root that it is not trusted [SEC-1, T18]", () => {
  const level = '{"trust_level"="untrusted"}';
  expect(flagsOf({})).toContain(`projects={"/srv/app"=${level},"/srv"=${level},"/"=${level}}`);
  expect(flagsOf({})).toContain("hooks");
  expect(flagsOf({ trustsProject: true })).not.toContain("hooks");
  expect(flagsOf({ trustsProject: true }).join(" ")).not.toContain("untrusted");
});

test("a key is named by its variable and kept from what the agent runs [T11]", () => {
  const flags = flagsOf({ env: { OPENAI_API_KEY: "sk-secret" } });
  expect(flags.join(" ")).not.toContain("sk-secret");
  expect(flags).toContain('shell_environment_policy.exclude=["OPENAI_API_KEY"]');
  expect(flags.join(" ")).toContain('"env_key"="OPENAI_API_KEY"');
});

test("a login goes where Codex goes, unless another address is given [AGT-14]", () => {
  expect(flagsOf({}, { signIn: login }).join(" ")).not.toContain("model_provider");
  const settings = { baseUrl: "http://127.0.0.1:1/v1" };
  const flags = flagsOf({}, { signIn: login, settings }).join(" ");
  expect(flags).toContain('"base_url"="http://127.0.0.1:1/v1"');
  expect(flags).toContain('"requires_openai_auth"=true');
});

test("the token of Troupe's tools is no argument [MCP-5, T3]", () => {
  const access = { token: "tok-secret", url: "http://127.0.0.1:2/mcp", socketPath: "/run/c" };
  const flags = flagsOf({ access }).join(" ");
  expect(flags).not.toContain("tok-secret");
  expect(flags).toContain('mcp_servers.troupe={"url"="http://127.0.0.1:2/mcp"');
  expect(flags).toContain('"bearer_token_env_var"="TROUPE_CONTEXT_TOKEN"');
});

test("what asks nobody is off unless the agent is told that it may use it [KCK-7, AGT-10]", () => {
  expect(flagsOf({})).toContain('web_search="disabled"');
  expect(flagsOf({})).toContain("multi_agent");
  const able = flagsOf({ spec: { ...spec, tools: ["WebSearch", "Task"] } });
  expect(able).toContain('web_search="live"');
  expect(able).not.toContain("multi_agent");
});

test("no permission mode turns asking off; one that only reads has a sandbox that only reads [AGT-10]", () => {
  const confine = confinement({ network: { hosts: "public", local: [] } });
  const modes = ["ask", "accept-edits", "dont-ask", "bypass"] as const;
  for (const permissionMode of modes) {
    expect(askingMode({ spec: { ...spec, permissionMode } })).toEqual({
      approvalPolicy: "untrusted",
      sandbox: "workspace-write",
    });
    expect(askingMode({ spec: { ...spec, permissionMode }, confine })).toEqual({
      approvalPolicy: "untrusted",
      sandbox: "danger-full-access",
    });
  }
  expect(askingMode({ spec: { ...spec, permissionMode: "plan" }, confine })).toEqual({
    approvalPolicy: "on-request",
    sandbox: "danger-full-access",
  });
  expect(askingMode({ spec: { ...spec, permissionMode: "plan" } })).toEqual({
    approvalPolicy: "on-request",
    sandbox: "read-only",
  });
});

test("foreign servers are named to be left alone, and the role is added [MCP-5, AGT-1]", () => {
  const request = {
    run: "r",
    session: "s",
    cwd: "/srv",
    env: {},
    spec: { ...spec, settings: { systemPrompt: "be kind" } },
  };
  expect(threadParams(request, "gpt-5", ["we.ird"])).toMatchObject({
    model: "gpt-5",
    developerInstructions: "be kind",
    approvalsReviewer: "user",
    config: { mcp_servers: { "we.ird": { enabled: false } } },
  });
});

test.each([
  ["/bin/bash -lc 'echo x > f'", "echo x > f"],
  ["/bin/bash -lc ls", "ls"],
  [`bash -c "it's"`, "it's"],
  [`/bin/zsh -lc 'grep '"'"'a'"'"' f'`, "grep 'a' f"],
  [String.raw`/bin/sh -c "say \"\$HOME\""`, 'say "$HOME"'],
])("the script of %s is what the agent wrote [AGT-10]", (line, script) => {
  expect(scriptOf(line)).toBe(script);
});

test.each([
  "rm -rf /",
  "/bin/bash -lc 'ls' && rm -rf /",
  "/bin/bash -lc 'ls' x",
  '/bin/bash -lc "$(rm f)"',
  "/bin/bash -lc 'ls",
  "evil -lc 'ls'",
])("%s is left as it is: it is more than a shell with one script [AGT-10, T6]", (line) => {
  expect(scriptOf(line)).toBe(line);
});
