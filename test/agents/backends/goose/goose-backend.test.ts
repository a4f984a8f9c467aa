import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGooseBackend } from "../../../../src/agents/backends/goose/goose-backend.ts";
import type { BackendSettings } from "../../../../src/agents/backends/parts/backend-settings.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import { type AgentScript, chunk, createAgentHost } from "../acp/in-memory-agent.ts";
import { takeTurn } from "../acp/open-session.ts";
import { putOnPath } from "../program-on-path.ts";

const KEY = { ANTHROPIC_API_KEY: "key-of-model" };
const spec = { id: "worker", backend: "goose" };

function createGoose(script: AgentScript = {}, settings?: BackendSettings) {
  const agentHost = createAgentHost(script);
  const { host } = agentHost;
  const own = { name: "goose", settings };
  const backend = createGooseBackend({ host, clock: createManualClock() }, own);
  return { ...agentHost, ...putOnPath("goose"), backend };
}

test("goose is asked over its protocol, in the mode in which it asks for every tool [AGT-2, AGT-3.protocol, AGT-10]", async () => {
  const goose = createGoose({
    prompt: async ({ tell }) => {
      await tell(chunk("honk"));
      return { stopReason: "end_turn" };
    },
  });
  const model = "anthropic/claude-sonnet-4-5";
  const env = { ...KEY, GOOSE_MODE: "auto" };
  const session = await goose.backend.open(goose.request(env, { spec: { ...spec, model } }));
  const updates = await takeTurn({ session });
  await session.close();
  expect(updates.at(-1)).toMatchObject({ type: "stop", reason: "end_turn", text: "honk" });
  const [started] = goose.programs;
  expect(started?.request.argv).toEqual([goose.program, "acp", "--with-builtin", "developer"]);
  expect(started?.request.env).toMatchObject({
    ...KEY,
    HOME: goose.home,
    GOOSE_PROVIDER: "anthropic",
    GOOSE_MODEL: "claude-sonnet-4-5",
    GOOSE_MODE: "approve",
    GOOSE_TELEMETRY_ENABLED: "false",
  });
});

test("goose that only plans has no tools [AGT-10]", async () => {
  const goose = createGoose();
  const planning = { ...spec, permissionMode: "plan" as const };
  const session = await goose.backend.open(goose.request(KEY, { spec: planning }));
  await session.close();
  expect(goose.programs[0]?.request.env["GOOSE_MODE"]).toBe("chat");
});

test("goose finds address and key where the configuration says, for the provider of the model [AGT-3.settings]", async () => {
  const baseUrl = "http://user:hidden@127.0.0.1:9";
  for (const [model, prefix] of [
    ["openai/small", "OPENAI"],
    ["anthropic/small", "ANTHROPIC"],
  ]) {
    const settings = { model: model ?? "", baseUrl, apiKeyEnv: "TEAM_KEY" };
    const goose = createGoose({}, settings);
    const request = goose.request({ TEAM_KEY: "key-of-team" });
    const session = await goose.backend.open(request);
    await session.close();
    expect(goose.programs[0]?.request.env).toMatchObject({
      [`${prefix}_API_KEY`]: "key-of-team",
      [`${prefix}_HOST`]: baseUrl,
    });
    expect(goose.backend.account?.(request)).toMatch(/^goose 127\.0\.0\.1:9 [0-9a-f]{12}$/);
  }
});

test("goose with a key keeps its files to itself, with a login it uses the user's, unchanged [AGT-14]", async () => {
  const goose = createGoose();
  const withKey = await goose.backend.open(goose.request(KEY));
  await withKey.close();
  const directory = join(goose.home, ".config/goose");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "config.yaml"), "");
  expect(goose.backend.signIn?.({ HOME: goose.home })).toEqual({ by: "login", directory });
  const withLogin = await goose.backend.open(goose.request({}));
  await withLogin.close();
  const [first, second] = goose.programs.map(({ request }) => request.env);
  expect(first).toMatchObject({
    GOOSE_PATH_ROOT: join(goose.directory, "goose/root"),
    GOOSE_DISABLE_KEYRING: "1",
  });
  expect(second?.["GOOSE_PATH_ROOT"]).toBeUndefined();
  expect(readdirSync(directory)).toEqual(["config.yaml"]);
});

test("goose goes on with the session of a token, also in a terminal [AGT-7.crash]", async () => {
  const goose = createGoose();
  const request = goose.request(KEY, { resume: "session-7" });
  const session = await goose.backend.open(request);
  await session.close();
  expect(goose.asked).toContainEqual({
    method: "session/load",
    params: expect.objectContaining({ sessionId: "session-7" }),
  });
  const command = await goose.backend.interactive?.(request);
  expect(command?.argv.slice(1)).toEqual(["session", "--resume", "--session-id", "session-7"]);
});

test("goose that is missing or has no model is told before a run [AGT-14]", async () => {
  const goose = createGoose();
  const signedOut = { ...spec, env: { PATH: "/nowhere", HOME: goose.home } };
  expect(await goose.backend.check(signedOut)).toMatchObject([
    { message: expect.stringContaining('"goose" was not found') },
    { hint: expect.stringContaining("goose configure") },
  ]);
  const { env } = goose.request(KEY);
  expect(await goose.backend.check({ ...spec, env })).toEqual([]);
});
