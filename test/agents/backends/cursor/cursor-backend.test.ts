import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCursorBackend } from "../../../../src/agents/backends/cursor/cursor-backend.ts";
import type { BackendSettings } from "../../../../src/agents/backends/parts/backend-settings.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";
import { type AgentScript, chunk, createAgentHost } from "../acp/in-memory-agent.ts";
import { takeTurn } from "../acp/open-session.ts";
import { putOnPath } from "../program-on-path.ts";

const KEY = { CURSOR_API_KEY: "key-of-cursor" };

function createCursor(script: AgentScript = {}, settings?: BackendSettings) {
  const agentHost = createAgentHost(script);
  const { host } = agentHost;
  const own = { name: "cursor", settings };
  const backend = createCursorBackend({ host, clock: createManualClock() }, own);
  return { ...agentHost, ...putOnPath("cursor-agent"), backend };
}

test("cursor is asked over its protocol, and asks Troupe before it runs a command [AGT-2, AGT-3.protocol, AGT-10]", async () => {
  const cursor = createCursor({
    prompt: async ({ client, tell }) => {
      await client.request("session/request_permission", {
        sessionId: "session-1",
        toolCall: { toolCallId: "c1", kind: "execute", rawInput: { command: "make" } },
        options: [
          { optionId: "allow-once", name: "Yes", kind: "allow_once" },
          { optionId: "reject-once", name: "No", kind: "reject_once" },
        ],
      });
      await tell(chunk("built"));
      return { stopReason: "end_turn" };
    },
  });
  const spec = { id: "worker", backend: "cursor", model: "auto" };
  const session = await cursor.backend.open(cursor.request(KEY, { spec }));
  const client = createRecordingClient();
  const updates = await takeTurn({ session }, { client });
  await session.close();
  expect(updates.at(-1)).toMatchObject({ type: "stop", reason: "end_turn", text: "built" });
  const asked = { tool: "Bash", input: { command: "make" } };
  expect(client.calls).toEqual([{ method: "requestPermission", input: asked }]);
  const [{ request }] = [...cursor.programs, { request: undefined }];
  expect(request?.argv).toEqual([cursor.program, "--model", "auto", "acp"]);
});

test("cursor goes on with the session of a token [AGT-7.crash]", async () => {
  const cursor = createCursor();
  const session = await cursor.backend.open(cursor.request(KEY, { resume: "session-7" }));
  await session.close();
  expect(cursor.asked).toContainEqual({
    method: "session/load",
    params: expect.objectContaining({ sessionId: "session-7" }),
  });
  const command = await cursor.backend.interactive?.(cursor.request(KEY, { resume: "session-7" }));
  expect(command?.argv).toEqual([cursor.program, "--resume", "session-7"]);
});

test("cursor with a key has a private home, with a login the user's own, unchanged [AGT-14]", async () => {
  const settings = { apiKeyEnv: "TEAM_KEY", baseUrl: "https://cursor.example" };
  const cursor = createCursor({}, settings);
  const withKey = await cursor.backend.open(cursor.request({ TEAM_KEY: "key-of-team" }));
  await withKey.close();
  expect(cursor.backend.signIn?.({ HOME: cursor.home })).toEqual({ by: "nothing" });
  const directory = join(cursor.home, ".cursor");
  mkdirSync(directory);
  writeFileSync(join(directory, "cli-config.json"), "{}");
  expect(cursor.backend.signIn?.({ HOME: cursor.home })).toEqual({ by: "login", directory });
  const withLogin = await cursor.backend.open(cursor.request({}));
  await withLogin.close();
  const [first, second] = cursor.programs.map(({ request }) => request);
  expect(first?.argv).toEqual([cursor.program, "--endpoint", "https://cursor.example", "acp"]);
  expect(first?.argv.join()).not.toContain("key-of-team");
  expect(first?.env).toMatchObject({
    CURSOR_API_KEY: "key-of-team",
    HOME: join(cursor.directory, "cursor/home"),
    CURSOR_CONFIG_DIR: join(cursor.directory, "cursor/config"),
  });
  expect(second?.env["HOME"]).toBe(cursor.home);
  expect(readdirSync(directory)).toEqual(["cli-config.json"]);
  const account = cursor.backend.account?.(cursor.request({ TEAM_KEY: "key-of-team" }));
  expect(account).toMatch(/^cursor cursor\.example [0-9a-f]{12}$/);
});

test.each(["cli.json", "hooks.json", "mcp.json"])(
  "cursor does not start where .cursor/%s of the project would command it, before the project is trusted [SEC-1, T6]",
  async (name) => {
    const cursor = createCursor();
    mkdirSync(join(cursor.cwd, ".cursor"));
    writeFileSync(join(cursor.cwd, ".cursor", name), "{}");
    await expect(cursor.backend.open(cursor.request(KEY))).rejects.toMatchObject({
      code: "BACKEND_SETTINGS_INVALID",
      message: expect.stringContaining("troupe trust"),
    });
    expect(cursor.programs).toEqual([]);
    const trusted = await cursor.backend.open(cursor.request(KEY, { trustsProject: true }));
    await trusted.close();
  },
);

test("cursor that is missing or signed out is told before a run [AGT-14]", async () => {
  const cursor = createCursor();
  const spec = { id: "worker", backend: "cursor", env: { PATH: "/nowhere", HOME: cursor.home } };
  expect(await cursor.backend.check(spec)).toMatchObject([
    { message: expect.stringContaining('"cursor-agent" was not found') },
    { hint: expect.stringContaining("cursor-agent login") },
  ]);
  const { env } = cursor.request(KEY);
  expect(await cursor.backend.check({ ...spec, env })).toEqual([]);
});
