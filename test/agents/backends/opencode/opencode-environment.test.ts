import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assertTrusted } from "../../../../src/agents/backends/opencode/opencode-command.ts";
import { prepareOpencodeEnvironment } from "../../../../src/agents/backends/opencode/opencode-environment.ts";
import {
  opencodeAccount,
  opencodeModel,
  opencodeSignIn,
} from "../../../../src/agents/backends/opencode/opencode-sign-in.ts";
import { openPrivateDirectory } from "../../../../src/agents/backends/parts/private-directory.ts";
import type { SessionRequest } from "../../../../src/contracts/backend.ts";

const spec = { id: "worker", backend: "opencode" };

test("what a project configures for opencode is off until it is trusted; what it tells agents is not [SEC-1, T18]", async () => {
  const { root, prepare } = createRoot();
  writeFileSync(join(root, "AGENTS.md"), "Write tests.");
  writeFileSync(join(root, "CLAUDE.md"), "Write tests.");
  const { env, configuration } = await prepare({});
  expect(env).toMatchObject({
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_PURE: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
  });
  expect(configuration).toMatchObject({ instructions: [join(root, "AGENTS.md")] });
  const trusting = await prepare({ trustsProject: true });
  expect(trusting.env).not.toHaveProperty("OPENCODE_DISABLE_PROJECT_CONFIG");
  expect(trusting.configuration).not.toHaveProperty("instructions");
});

test("opencode is not started where a project would make it run something, until that is trusted [SEC-1, T18]", () => {
  const { root } = createRoot();
  const cwd = join(root, "project/deep");
  const request = { cwd, env: { HOME: root }, spec };
  mkdirSync(join(root, ".opencode"));
  mkdirSync(cwd, { recursive: true });
  assertTrusted(request);
  for (const name of [".opencode", "opencode.json", "opencode.jsonc"]) {
    const path = join(root, "project", name);
    writeFileSync(path, "{}");
    const details = { agent: "worker", program: "opencode", path };
    const untrusted = expect.objectContaining({ code: "BACKEND_PROJECT_UNTRUSTED", details });
    expect(() => assertTrusted(request)).toThrow(untrusted);
    assertTrusted({ ...request, trustsProject: true });
    rmSync(path);
  }
});

test("all that has an effect is asked for, and tools that an agent may not use are off [AGT-10, KCK-7]", async () => {
  const { prepare } = createRoot();
  const rulesOf = async (tools?: readonly string[]) => {
    const given = tools === undefined ? spec : { ...spec, tools };
    const rules: unknown = JSON.parse(
      (await prepare({ spec: given })).env["OPENCODE_PERMISSION"] ?? "",
    );
    return rules;
  };
  expect(await rulesOf()).toMatchObject({ edit: "ask", bash: "ask", webfetch: "ask" });
  expect(await rulesOf(["Read", "Bash"])).toMatchObject({
    edit: "deny",
    bash: "ask",
    webfetch: "deny",
    grep: "deny",
  });
});

test("a login of opencode is used where it lies; sessions and settings are the agent's own [AGT-14]", async () => {
  const { root, prepare } = createRoot();
  const own = join(root, "user/.local/share/opencode");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "auth.json"), "{}");
  const { env, agent } = await prepare({});
  expect(env["XDG_DATA_HOME"]).toBe(join(root, "user/.local/share"));
  expect(env["OPENCODE_DB"]?.startsWith(agent)).toBe(true);
  expect(env["XDG_CONFIG_HOME"]?.startsWith(agent)).toBe(true);
  const withKey = await prepare({ env: { OPENAI_API_KEY: "k" } });
  expect(withKey.env["XDG_DATA_HOME"]?.startsWith(agent)).toBe(true);
});

test("the role of an agent comes from a file of its own, and the server of opencode has a password [AGT-1, T2]", async () => {
  const { prepare } = createRoot();
  const settings = { systemPrompt: "Be brief." };
  const first = await prepare({ spec: { ...spec, settings } });
  const file = join(first.agent, "opencode/role.md");
  expect(first.configuration).toMatchObject({ instructions: [file] });
  expect(readFileSync(file, "utf8")).toBe("Be brief.");
  expect(first.env["OPENCODE_SERVER_PASSWORD"]).toMatch(/^[0-9a-f]{48}$/);
  const second = await prepare({ spec });
  expect(second.env["OPENCODE_SERVER_PASSWORD"]).not.toBe(first.env["OPENCODE_SERVER_PASSWORD"]);
});

test("opencode finds installed what it would fetch from the registry, and asks a model for nothing but turns [SEC-1, AGT-15]", async () => {
  const { prepare } = createRoot();
  const { env, configuration } = await prepare({});
  const directory = join(env["XDG_CONFIG_HOME"] ?? "", "opencode");
  expect(existsSync(join(directory, "node_modules"))).toBe(true);
  const lock: unknown = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8"));
  expect(lock).toMatchObject({
    packages: { "": { dependencies: { "@opencode-ai/plugin": expect.any(String) } } },
  });
  expect(configuration).toMatchObject({ agent: { title: { disable: true } }, snapshot: false });
});

test("a model at an address of its own is a provider, whose key stays in the environment [AGT-3.settings, T11]", () => {
  const settings = { baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: "MY_KEY", model: "mine/big/7b" };
  expect(opencodeModel(spec, settings)).toEqual({
    model: "mine/big/7b",
    provider: {
      mine: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: "http://127.0.0.1:1/v1", apiKey: "{env:MY_KEY}" },
        models: { "big/7b": { name: "big/7b" } },
      },
    },
  });
  expect(opencodeModel({ ...spec, model: "openai/gpt-5" })).toEqual({ model: "openai/gpt-5" });
  const code = "BACKEND_SETTINGS_INVALID";
  expect(() => opencodeModel({ ...spec, model: "gpt-5" })).toThrow(
    expect.objectContaining({ code }),
  );
  expect(() => opencodeModel(spec, { baseUrl: "http://x" })).toThrow(
    expect.objectContaining({ code }),
  );
});

test("the key of the model's own provider counts before others [AGT-14]", () => {
  const env = { HOME: "/nowhere", OPENAI_API_KEY: "one", ANTHROPIC_API_KEY: "two" };
  const variable = (model: string) => opencodeSignIn(env, { model });
  expect(variable("openai/gpt-5")).toEqual({ by: "key", variable: "OPENAI_API_KEY" });
  expect(variable("anthropic/opus")).toEqual({ by: "key", variable: "ANTHROPIC_API_KEY" });
  expect(opencodeSignIn({ HOME: "/nowhere" })).toEqual({ by: "nothing" });
  expect(opencodeAccount(env)).toMatch(/^opencode [0-9a-f]{12}$/);
});

function createRoot() {
  const root = mkdtempSync(join(tmpdir(), "troupe-opencode-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const agent = join(root, "agent");
  const prepare = async (parts: Partial<SessionRequest>) => {
    const request = {
      run: "run_aaaaaa",
      session: "worker",
      cwd: root,
      spec,
      ...parts,
      env: { HOME: join(root, "user"), ...parts.env },
    };
    const directory = await openPrivateDirectory(agent, "opencode");
    const env = await prepareOpencodeEnvironment({ request, settings: undefined, directory });
    const configuration: unknown = JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "");
    return { env, configuration, agent };
  };
  return { root, prepare };
}
