import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClaudeBackend } from "../../../../src/agents/backends/claude/claude-backend.ts";
import type { BackendSettings } from "../../../../src/agents/backends/parts/backend-settings.ts";
import type { AgentBackend, SessionRequest } from "../../../../src/contracts/backend.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { createHost } from "../../../../src/host/host.ts";

const SECRET = "key-that-nobody-may-see";
const SESSION = "7b3f6b3e-0d4f-4c57-8c5b-2f3f6d6f0c11";

interface Machine {
  readonly home: string;
  readonly backend: AgentBackend;
  readonly env: { readonly [name: string]: string };
  write(path: string, content: string): void;
}

/** A machine on which `claude` is installed, in the environment of a user. */
function createMachine(
  variables: { readonly [name: string]: string } = {},
  settings?: BackendSettings,
): Machine {
  const home = mkdtempSync(join(tmpdir(), "troupe-claude-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  write("bin/claude", "#!/bin/sh\n");
  chmodSync(join(home, "bin/claude"), 0o755);
  const env = { PATH: join(home, "bin"), HOME: home, ...variables };
  const host = createHost({ run: "run_aaaaaa", clock: systemClock, env, reaper: false });
  const backend = createClaudeBackend({ host, clock: systemClock }, { name: "claude", settings });
  return { home, backend, env, write };
}

function requestOf({ home, env }: Machine, parts: Partial<SessionRequest> = {}): SessionRequest {
  const { spec, ...rest } = parts;
  return {
    run: "run_aaaaaa",
    session: "worker",
    cwd: home,
    env,
    directory: join(home, "agent"),
    spec: { id: "worker", backend: "claude", ...spec },
    ...rest,
  };
}

async function argumentsOf(machine: Machine, parts: Partial<SessionRequest> = {}) {
  const command = await machine.backend.interactive?.(requestOf(machine, parts));
  return command?.argv ?? [];
}

/** The value of an argument; undefined without it. */
function argumentNamed(argv: readonly string[], name: string): string | undefined {
  return argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** What is writable of a login, and what belongs to it. */
function login(directory: string, around: string) {
  const inside = (name: string) => join(directory, name);
  const own = ["shell-snapshots", "session-env", "todos", "tasks", "debug", "statsig"];
  return {
    ...{ by: "login", directory, beside: [join(around, ".claude.json")] },
    ...{ tokens: [inside(".credentials.json")], sessions: [inside("projects")] },
    scratch: [...own, "file-history"].map(inside),
  };
}

test("a key in the environment signs in before a stored login does [AGT-14]", () => {
  const { backend, env, home, write } = createMachine();
  expect(backend.signIn?.(env)).toEqual({ by: "nothing" });
  write(".claude/.credentials.json", "{}");
  expect(backend.signIn?.(env)).toEqual(login(join(home, ".claude"), home));
  for (const variable of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"]) {
    expect(backend.signIn?.({ ...env, [variable]: SECRET })).toEqual({ by: "key", variable });
    expect(backend.signIn?.({ ...env, [variable]: "" })).toMatchObject({ by: "login" });
  }
  expect(backend.signIn?.({ ...env, CLAUDE_CODE_USE_BEDROCK: "1" })).toMatchObject({ by: "key" });
  expect(backend.signIn?.({ ...env, CLAUDE_CODE_USE_BEDROCK: "0" })).toMatchObject({ by: "login" });
});

test("a login whose secret lies in a keychain, or in another directory, is seen [AGT-14]", () => {
  const { backend, env, home, write } = createMachine();
  write(".claude.json", '{"oauthAccount":{"emailAddress":"a@b.example"}}');
  expect(backend.signIn?.(env)).toEqual(login(join(home, ".claude"), home));
  const elsewhere = { ...env, CLAUDE_CONFIG_DIR: join(home, "work") };
  expect(backend.signIn?.(elsewhere)).toEqual({ by: "nothing" });
  write("work/.credentials.json", "{}");
  expect(backend.signIn?.(elsewhere)).toEqual(login(join(home, "work"), join(home, "work")));
});

test("an account has one name for all its agents, in which nothing is secret [LOOP-5, AGT-11]", () => {
  const machine = createMachine();
  const { backend, env } = machine;
  const named = (variables: { readonly [name: string]: string }) =>
    backend.account?.(requestOf(machine, { env: { ...env, ...variables } }));
  const account = named({ ANTHROPIC_API_KEY: SECRET });
  expect(account).toBe(named({ ANTHROPIC_API_KEY: SECRET }));
  expect(account).toMatch(/^claude [0-9a-f]{12}$/);
  expect(named({ ANTHROPIC_API_KEY: "another" })).not.toBe(account);
  const gateway = { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: `https://me:${SECRET}@gate/v1` };
  expect(named(gateway)).toMatch(/^claude gate\/v1 [0-9a-f]{12}$/);
});

test("what is missing is said before a run starts [AGT-14]", async () => {
  const { backend } = createMachine({ ANTHROPIC_API_KEY: SECRET });
  const spec = { id: "worker", backend: "claude" };
  expect(await backend.check(spec)).toEqual([]);
  expect(await createMachine().backend.check(spec)).toEqual([
    { message: "Claude Code is not signed in", hint: expect.stringContaining("ANTHROPIC_API_KEY") },
  ]);
  const lost = createMachine({ ANTHROPIC_API_KEY: SECRET }, { command: "claude-9" }).backend;
  expect(await lost.check(spec)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('"claude-9" was not found') }),
  ]);
});

test("a key that the agent's declaration takes from a variable of another name signs in [AGT-14]", async () => {
  const { backend } = createMachine({ TEAM_KEY: SECRET });
  const spec = { id: "worker", backend: "claude", envFrom: { ANTHROPIC_API_KEY: "TEAM_KEY" } };
  expect(await backend.check(spec)).toEqual([]);
});

test.for(["--dangerously-skip-permissions", "--permission-mode=bypassPermissions", "--settings"])(
  "%s is no argument of an agent: what is permitted is decided in one place [AGT-10, SEC-1, PAT-task.refused]",
  async (forbidden) => {
    const machine = createMachine({ ANTHROPIC_API_KEY: SECRET });
    const spec = { id: "worker", backend: "claude", settings: { args: ["--verbose", forbidden] } };
    const [problem] = await machine.backend.check(spec);
    expect(problem?.message).toContain(forbidden);
    await expect(machine.backend.open(requestOf(machine, { spec }))).rejects.toMatchObject({
      code: "BACKEND_SETTINGS_INVALID",
    });
  },
);

test("the variables of its key and address reach an agent, and the one that the configuration names [AGT-11]", () => {
  const { backend } = createMachine({}, { apiKeyEnv: "TEAM_KEY" });
  expect(backend.passes).toEqual(
    expect.arrayContaining(["TEAM_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]),
  );
  expect(backend.signIn?.({ TEAM_KEY: SECRET })).toEqual({ by: "key", variable: "TEAM_KEY" });
});

test("the arguments of an agent follow its program [PAT-task.args]", async () => {
  const spec = { id: "worker", backend: "claude", settings: { args: ["--verbose", "a b"] } };
  const [, ...args] = await argumentsOf(createMachine({ ANTHROPIC_API_KEY: SECRET }), { spec });
  expect(args.slice(0, 2)).toEqual(["--verbose", "a b"]);
});

test("in a terminal the agent has the same session and the same isolation [AGT-14, SEC-1]", async () => {
  const machine = createMachine(
    { TEAM_KEY: SECRET },
    { apiKeyEnv: "TEAM_KEY", baseUrl: "http://g" },
  );
  const request = requestOf(machine, { resume: SESSION });
  const command = await machine.backend.interactive?.(request);
  const argv = command?.argv ?? [];
  expect(argv[0]).toBe(join(machine.home, "bin/claude"));
  expect(argumentNamed(argv, "--resume")).toBe(SESSION);
  expect(argumentNamed(argv, "--setting-sources")).toBe("");
  expect(argv).toContain("--strict-mcp-config");
  expect(argv).not.toContain("-p");
  expect(command?.env).toMatchObject({
    ANTHROPIC_API_KEY: SECRET,
    ANTHROPIC_BASE_URL: "http://g",
    CLAUDE_CONFIG_DIR: join(machine.home, "agent/claude/config"),
    DISABLE_AUTOUPDATER: "1",
  });
  expect(command?.cwd).toBe(machine.home);
  expect(argv.join(" ")).not.toContain(SECRET);
});

test("with a login the directory of the user is the one that counts [AGT-14]", async () => {
  const machine = createMachine();
  machine.write(".claude/.credentials.json", "{}");
  const command = await machine.backend.interactive?.(requestOf(machine));
  expect(command?.env).not.toHaveProperty("CLAUDE_CONFIG_DIR");
});

test("what a project configures counts once it is trusted, its permissions never [SEC-1, AGT-10]", async () => {
  const machine = createMachine({ ANTHROPIC_API_KEY: SECRET });
  machine.write(".mcp.json", "{}");
  const settingsOf = (argv: readonly string[]) =>
    JSON.parse(argumentNamed(argv, "--settings") ?? "");
  const foreign = await argumentsOf(machine);
  expect(argumentNamed(foreign, "--mcp-config")).toBeUndefined();
  expect(settingsOf(foreign)).toMatchObject({ disableAllHooks: true });
  const trusted = await argumentsOf(machine, { trustsProject: true });
  expect(argumentNamed(trusted, "--setting-sources")).toBe("project,local");
  expect(argumentNamed(trusted, "--mcp-config")).toBe(join(machine.home, ".mcp.json"));
  expect(settingsOf(trusted)).not.toHaveProperty("disableAllHooks");
  for (const argv of [foreign, trusted]) {
    expect(settingsOf(argv).permissions.ask).toEqual(expect.arrayContaining(["Bash", "Read"]));
    expect(argumentNamed(argv, "--permission-mode")).toBe("default");
  }
});

test("a mode that bypasses everything is no business of the program, a plan is [AGT-10]", async () => {
  const machine = createMachine({ ANTHROPIC_API_KEY: SECRET });
  const modeOf = async (permissionMode: "bypass" | "plan") =>
    argumentNamed(
      await argumentsOf(machine, { spec: { id: "worker", backend: "claude", permissionMode } }),
      "--permission-mode",
    );
  expect(await modeOf("bypass")).toBe("default");
  expect(await modeOf("plan")).toBe("plan");
});

test("model and tools are those of the agent, and the token is in no argument [KCK-7, MCP-5, T3]", async () => {
  const machine = createMachine({ ANTHROPIC_API_KEY: SECRET }, { model: "opus" });
  const tools = ["Read", "Bash", "channel_send"];
  const access = { token: SECRET, url: "http://127.0.0.1:1/mcp", socketPath: "/s" };
  const spec = { id: "worker", backend: "claude", tools };
  const argv = await argumentsOf(machine, { spec, access });
  expect(argumentNamed(argv, "--model")).toBe("opus");
  expect(argumentNamed(argv, "--tools")).toBe("Read,Bash");
  expect(JSON.parse(argumentNamed(argv, "--mcp-config") ?? "")).toMatchObject({
    mcpServers: { troupe: { url: "${TROUPE_CONTEXT_URL}" } },
  });
  expect(argv.join(" ")).not.toContain(SECRET);
  const own = await argumentsOf(machine, { spec: { ...spec, model: "sonnet" } });
  expect(argumentNamed(own, "--model")).toBe("sonnet");
});

test("a token that is no session is told so before anything starts [AGT-7.crash]", async () => {
  const machine = createMachine({ ANTHROPIC_API_KEY: SECRET });
  const request = requestOf(machine, { resume: "--dangerously-skip-permissions" });
  await expect(machine.backend.open(request)).rejects.toMatchObject({
    code: "BACKEND_SESSION_UNKNOWN",
  });
});
