import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { geminiDialect } from "../../../../src/agents/backends/gemini/gemini-dialect.ts";
import { prepareGeminiEnvironment } from "../../../../src/agents/backends/gemini/gemini-environment.ts";
import {
  geminiAccount,
  geminiSignIn,
} from "../../../../src/agents/backends/gemini/gemini-sign-in.ts";
import { openPrivateDirectory } from "../../../../src/agents/backends/parts/private-directory.ts";
import type { SessionRequest } from "../../../../src/contracts/backend.ts";

test("a login of Gemini is used where it lies, and of the user's nothing else [AGT-14, SEC-1]", async () => {
  const { root, prepare } = createRoot();
  const own = join(root, "user/.gemini");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "oauth_creds.json"), "secret");
  writeFileSync(join(own, "settings.json"), '{"mcpServers":{}}');
  const { env, settings, home } = await prepare({});
  expect(env["GEMINI_CLI_HOME"]).toBe(home);
  expect(readlinkSync(join(home, ".gemini/oauth_creds.json"))).toBe(join(own, "oauth_creds.json"));
  expect(settings).toMatchObject({ security: { auth: { selectedType: "oauth-personal" } } });
  // The same again: a second session of the agent.
  await prepare({});
});

test("a project is trusted only when it says nothing, or was trusted by a person [SEC-1, T18]", async () => {
  const { root, prepare } = createRoot();
  const trust = async (parts: Partial<SessionRequest>) =>
    (await prepare(parts)).env["GEMINI_CLI_TRUST_WORKSPACE"];
  const below = join(root, "project/deep/er");
  mkdirSync(below, { recursive: true });
  expect(await trust({ cwd: below })).toBe("true");
  writeFileSync(join(root, "project/.env"), "GOOGLE_GEMINI_BASE_URL=http://evil.example");
  expect(await trust({ cwd: below })).toBe("false");
  rmSync(join(root, "project/.env"));
  mkdirSync(join(root, "project/.gemini"));
  expect(await trust({ cwd: below })).toBe("false");
  expect(await trust({ cwd: below, trustsProject: true })).toBe("true");
});

test("hooks and servers of others are off, retries are few, and commands are asked for [SEC-1, LOOP-5, AGT-10]", async () => {
  const { prepare } = createRoot();
  const spec = { id: "worker", backend: "gemini", tools: ["Read", "Grep"] };
  const { settings, home } = await prepare({ env: { GEMINI_API_KEY: "k" }, spec });
  expect(settings).toMatchObject({
    general: { maxAttempts: 3, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    hooksConfig: { enabled: false },
    mcp: { allowed: ["troupe"] },
    security: { auth: { selectedType: "gemini-api-key" } },
    tools: { exclude: expect.arrayContaining(["run_shell_command", "write_file", "replace"]) },
  });
  const rules = readFileSync(join(home, ".gemini/policies/troupe.toml"), "utf8");
  expect(rules).toContain('decision = "ask_user"');
  const trusting = await prepare({ env: { GEMINI_API_KEY: "k" }, trustsProject: true });
  expect(trusting.settings).not.toHaveProperty("hooksConfig");
});

test("the address and the key of the configuration are said in Gemini's words [AGT-3.settings]", async () => {
  const { prepare } = createRoot();
  const settings = { baseUrl: "http://127.0.0.1:1", apiKeyEnv: "MY_KEY" };
  const { env } = await prepare({ env: { MY_KEY: "k" } }, settings);
  expect(env).toMatchObject({
    GEMINI_API_KEY: "k",
    GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:1",
  });
  const vertex = await prepare({ env: { GOOGLE_API_KEY: "k" } }, { baseUrl: "http://v" });
  expect(vertex.env).toMatchObject({
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_VERTEX_BASE_URL: "http://v",
  });
});

test("an account is told apart by its key, which nobody can read in its name [AGT-14, T11]", () => {
  const first = geminiAccount({ GEMINI_API_KEY: "key-number-one" });
  expect(first).toMatch(/^gemini [0-9a-f]{12}$/);
  expect(geminiAccount({ GEMINI_API_KEY: "key-number-two" })).not.toBe(first);
  expect(geminiSignIn({ HOME: "/nowhere" })).toEqual({ by: "nothing" });
});

test("the transcript of a session gets another name before Gemini goes on with it [AGT-7.crash]", async () => {
  const { root } = createRoot();
  const chats = join(root, ".gemini/tmp/project/chats");
  mkdirSync(chats, { recursive: true });
  const id = "d28af969-555e-421b-ba3c-d02602f1e0fc";
  writeFileSync(join(chats, "session-2026-11-22T07-41-d28af969.jsonl"), "words");
  writeFileSync(join(chats, "session-2026-11-22T07-41-aaaaaaaa.jsonl"), "others");
  const { beforeLoad } = geminiDialect(root);
  await beforeLoad?.(id);
  await beforeLoad?.(id);
  expect(readFileSync(join(chats, "session-kept-0-d28af969.jsonl"), "utf8")).toBe("words");
  expect(readFileSync(join(chats, "session-2026-11-22T07-41-aaaaaaaa.jsonl"), "utf8")).toBe(
    "others",
  );
});

type Settings = Parameters<typeof prepareGeminiEnvironment>[0]["settings"];

function createRoot() {
  const root = mkdtempSync(join(tmpdir(), "troupe-gemini-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const prepare = async (parts: Partial<SessionRequest>, settings?: Settings) => {
    const request = {
      run: "run_aaaaaa",
      session: "worker",
      cwd: root,
      spec: { id: "worker", backend: "gemini" },
      ...parts,
      env: { HOME: join(root, "user"), ...parts.env },
    };
    const directory = await openPrivateDirectory(join(root, "agent"), "gemini");
    const { env, home } = await prepareGeminiEnvironment({ request, settings, directory });
    const text = readFileSync(join(home, ".gemini/settings.json"), "utf8");
    const written: unknown = JSON.parse(text);
    return { env, home, settings: written };
  };
  return { root, prepare };
}
