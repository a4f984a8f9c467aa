import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCodexBackend } from "../../../../src/agents/backends/codex/codex-backend.ts";
import { makeCodexHome } from "../../../../src/agents/backends/codex/codex-home.ts";
import { codexAccount, codexSignIn } from "../../../../src/agents/backends/codex/codex-sign-in.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { createHost } from "../../../../src/host/host.ts";

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "troupe-codex-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function homeWith(file: string, text: string): string {
  const home = directory();
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, ".codex", file), text);
  return home;
}

test("a key in the environment beats a stored login [AGT-14]", () => {
  const HOME = homeWith("auth.json", "{}");
  expect(codexSignIn({ HOME, OPENAI_API_KEY: "sk" }, undefined)).toEqual({
    by: "key",
    variable: "OPENAI_API_KEY",
  });
  const own = { apiKeyEnv: "TEAM_KEY" };
  expect(codexSignIn({ HOME, TEAM_KEY: "k", OPENAI_API_KEY: "sk" }, own)).toEqual({
    by: "key",
    variable: "TEAM_KEY",
  });
});

test.each([
  ["auth.json", "{}"],
  ["config.toml", 'model = "x"\ncli_auth_credentials_store = "keyring"\n'],
  ["config.toml", 'model_provider = "azure"\n'],
])("a login that %s tells of is used where it lies [AGT-14]", (file, text) => {
  const HOME = homeWith(file, text);
  const inside = (name: string) => join(HOME, ".codex", name);
  const login = {
    ...{ by: "login", directory: join(HOME, ".codex") },
    ...{ tokens: [inside("auth.json")], sessions: [inside("sessions")] },
    scratch: ["shell_snapshots", "tmp", "log"].map(inside),
  };
  expect(codexSignIn({ HOME, OPENAI_API_KEY: "" }, undefined)).toEqual(login);
  expect(codexSignIn({ HOME: "/nowhere", CODEX_HOME: join(HOME, ".codex") }, undefined)).toEqual(
    login,
  );
});

test("who is not signed in at all is told how, before the run [AGT-14]", async () => {
  const HOME = homeWith("config.toml", 'model = "x"\n');
  expect(codexSignIn({ HOME }, undefined)).toEqual({ by: "nothing" });
  const env = { HOME, PATH: "/nowhere" };
  const host = createHost({ run: "", clock: systemClock, env, reaper: false });
  const backend = createCodexBackend(
    { host, clock: systemClock },
    { name: "codex", settings: undefined },
  );
  const spec = { id: "worker", backend: "codex", settings: { args: "no list" } };
  expect(await backend.check(spec)).toEqual([
    { message: 'agent "worker": expected `args`: a list of texts' },
    {
      message: "Codex is not signed in",
      hint: "run `codex login`, or set OPENAI_API_KEY",
    },
  ]);
  expect(
    await backend.check({ id: "worker", backend: "codex", env: { OPENAI_API_KEY: "k" } }),
  ).toMatchObject([{ message: 'agent "worker": the program "codex" was not found' }]);
  await host.close();
});

test("accounts tell payers and addresses apart and no key [LOOP-5, T11]", () => {
  const account = (env: { readonly [name: string]: string }) =>
    codexAccount({ HOME: "/nowhere", ...env }, undefined);
  const names = [
    account({ OPENAI_API_KEY: "sk-one" }),
    account({ OPENAI_API_KEY: "sk-two" }),
    account({ OPENAI_API_KEY: "sk-one", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }),
    codexAccount({ HOME: homeWith("auth.json", "{}") }, undefined),
  ];
  expect(new Set(names).size).toBe(4);
  expect(account({ OPENAI_API_KEY: "sk-one" })).toBe(names[0]);
  expect(names.join()).not.toContain("sk-");
});

test("with a key everything is private, and what would configure the program is gone [T18, SEC-1]", async () => {
  const root = directory();
  mkdirSync(join(root, "codex/rules"), { recursive: true });
  for (const file of ["config.toml", "hooks.json", ".env", "state.sqlite"])
    writeFileSync(join(root, "codex", file), "");
  const home = await makeCodexHome({ directory: root }, { by: "key", variable: "OPENAI_API_KEY" });
  expect(home.env).toEqual({ CODEX_HOME: join(root, "codex"), TMPDIR: join(root, "tmp") });
  const left = ["config.toml", "hooks.json", ".env", "rules", "state.sqlite"];
  expect(left.filter((name) => existsSync(join(root, "codex", name)))).toEqual(["state.sqlite"]);
  await home.remove();
  expect(existsSync(root)).toBe(true);
});

test("with a login the user's own directory stays as it is, and scratch files go elsewhere [AGT-14]", async () => {
  const own = join(homeWith("config.toml", 'model_provider = "azure"'), ".codex");
  const home = await makeCodexHome({}, { by: "login", directory: own });
  expect(home.env).toMatchObject({ CODEX_HOME: own });
  const { TMPDIR = "" } = home.env;
  expect(existsSync(TMPDIR)).toBe(true);
  await home.remove();
  expect([existsSync(TMPDIR), existsSync(join(own, "config.toml"))]).toEqual([false, true]);
});
