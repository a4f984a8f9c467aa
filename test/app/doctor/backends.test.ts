import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { agentPrograms, versionNote } from "../../../src/app/machine/backends/agent-programs.ts";
import {
  type BackendSurroundings,
  lookUpBackend,
} from "../../../src/app/machine/backends/backend-state.ts";
import { chooseDefaultBackend } from "../../../src/app/machine/backends/default-backend.ts";
import type { ConfigSettings } from "../../../src/app/machine/config/config-settings.ts";
import { preflight } from "../../../src/app/run/owner/preflight.ts";
import type { AgentBackend } from "../../../src/contracts/backend.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { pinnedClients } from "../../clients/pinned-clients.ts";
import { createConfigProject } from "../machine/config/config-project.ts";

const KEY = { by: "key", variable: "SOME_KEY" } as const;
const NOTHING = { by: "nothing" } as const;
const CLIS = ["claude", "codex", "gemini", "opencode"];

/** Surroundings in which these programs are on PATH, and those backends can be run and are signed in. */
function surroundings(
  programs: readonly string[],
  supported: readonly string[] = CLIS,
  settings: ConfigSettings = {},
): BackendSurroundings & { readonly cwd: string } {
  const { root } = createConfigProject();
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of programs) writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  const find = (name: string) =>
    supported.includes(name) ? async () => ({ signIn: () => KEY }) : undefined;
  return { env: { PATH: bin }, cwd: root, settings, find };
}

test.each([
  [[], { ANTHROPIC_API_KEY: "k" }, {}, "anthropic/claude-sonnet-4-5"],
  [[], { OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" }, {}, "openai/gpt-5.1"],
  [[], { GOOGLE_GENERATIVE_AI_API_KEY: "k" }, {}, "google/gemini-2.5-pro"],
  [[], { OPENAI_API_KEY: "" }, {}, undefined],
  [[], { OTHER: "k" }, { backends: { openai: { apiKeyEnv: "OTHER" } } }, "openai/gpt-5.1"],
  [[], {}, { backends: { model: { model: "ollama/qwen3" } } }, "ollama/qwen3"],
  [["codex"], { ANTHROPIC_API_KEY: "k" }, {}, undefined],
] as const)(
  "with %j installed and the keys %j and %j agents that name nothing have the model %s [WF-12.order]",
  async (...[programs, keys, settings, model]) => {
    const given = surroundings(programs, CLIS, settings);
    const env = { ...given.env, ...keys };
    const { backend, message } = await chooseDefaultBackend({ ...given, env });
    expect(backend === "model" ? message : undefined).toBe(model);
  },
);

interface Choice {
  readonly programs: readonly string[];
  readonly supported: readonly string[];
  readonly settings?: ConfigSettings;
  readonly signedOut?: string;
  readonly expected: readonly [backend: string, origin: string];
}

test.each<Choice>([
  { programs: ["codex", "opencode"], supported: CLIS, expected: ["codex", "found"] },
  { programs: CLIS, supported: CLIS, expected: ["claude", "found"] },
  { programs: CLIS, supported: CLIS, signedOut: "claude", expected: ["codex", "found"] },
  {
    programs: ["codex"],
    supported: CLIS,
    signedOut: "codex",
    expected: ["codex", "nothing-found"],
  },
  { programs: CLIS, supported: ["opencode"], expected: ["opencode", "found"] },
  { programs: ["aider"], supported: CLIS, expected: ["claude", "nothing-found"] },
  { programs: ["gemini"], supported: [], expected: ["gemini", "nothing-found"] },
  { programs: [], supported: CLIS, expected: ["claude", "nothing-found"] },
  {
    programs: CLIS,
    supported: CLIS,
    settings: { defaults: { backend: "gemini" } },
    expected: ["gemini", "configuration"],
  },
  {
    programs: [],
    supported: ["script"],
    settings: { defaults: { backend: "script" } },
    expected: ["script", "configuration"],
  },
])(
  "with $programs installed, $supported supported, $signedOut signed out and $settings the default is $expected [WF-12.order]",
  async ({ programs, supported, settings, signedOut, expected }) => {
    const given = surroundings(programs, supported, settings);
    const find = (name: string) =>
      name === signedOut ? async () => ({ signIn: () => NOTHING }) : given.find?.(name);
    const { backend, origin } = await chooseDefaultBackend({ ...given, find });
    expect([backend, origin]).toEqual(expected);
  },
);

test("a program that is missing is told with how to install it [AGT-14]", async () => {
  expect(await lookUpBackend("codex", surroundings([]))).toEqual({
    backend: "codex",
    status: "missing",
    message: 'needs the command "codex", which is not on PATH',
    hint: "install it: npm install -g @openai/codex",
  });
});

test("a program that the project alone has is told with what to write [AGT-14]", async () => {
  const given = surroundings([]);
  const file = join(given.cwd, "node_modules/.bin/codex");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  expect((await lookUpBackend("codex", { ...given, cwd: join(given.cwd, "src") })).hint).toBe(
    `it is in ${dirname(file)}, where programs are not looked for; write in the configuration: backends: { codex: { command: "${file}" } }`,
  );
});

test("a configured command takes the place of the usual one [AGT-14]", async () => {
  const settings = { backends: { codex: { command: ["my-codex", "--x"] } } };
  expect(await lookUpBackend("codex", surroundings(["my-codex"], CLIS, settings))).toMatchObject({
    status: "ready",
    program: expect.stringMatching(/\/my-codex$/),
  });
  expect((await lookUpBackend("codex", surroundings(["codex"], CLIS, settings))).status).toBe(
    "missing",
  );
});

test("what lies among the packages of a project is no program [AGT-14, T18]", async () => {
  const { root } = createConfigProject();
  const bin = join(root, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { PATH: `${bin}:node_modules/.bin:.` };
  const given = { ...surroundings([]), env, cwd: root };
  expect((await lookUpBackend("claude", given)).status).toBe("missing");
});

test("a program that nobody is signed in to is told with how to sign in [AGT-14]", async () => {
  const given = { ...surroundings(["codex"]), find: () => async () => ({ signIn: () => NOTHING }) };
  expect(await lookUpBackend("codex", given)).toMatchObject({
    status: "signed-out",
    message: "nobody is signed in",
    hint: "to sign in: codex login, or set OPENAI_API_KEY",
  });
});

test("a backend is asked about signing in with the environment that its agents get [AGT-14, AGT-11]", async () => {
  const given = surroundings(["codex"], CLIS, {
    backends: { codex: { env: { CONFIGURED: "c" } } },
    env: { allow: ["ALLOWED"] },
  });
  const seen: { readonly [name: string]: string }[] = [];
  const env = { ...given.env, PASSED: "p", ALLOWED: "a", OTHER: "o", TROUPE_X: "t" };
  const find = () => async () => ({
    passes: ["PASSED", "TROUPE_X"],
    signIn: (asked: { readonly [name: string]: string }) => {
      seen.push(asked);
      return KEY;
    },
  });
  expect((await lookUpBackend("codex", { ...given, env, find })).signIn).toEqual(KEY);
  const { PATH } = given.env;
  expect(seen).toEqual([{ PATH, PASSED: "p", ALLOWED: "a", CONFIGURED: "c" }]);
});

test("a backend of one's own is looked up by its command, and may not be runnable yet [AGT-14]", async () => {
  const settings: ConfigSettings = {
    backends: {
      mine: { type: "acp", command: ["my-agent", "--acp"] },
      gone: { type: "acp", command: "no-agent" },
      local: { type: "model" },
      served: { type: "model", baseUrl: "http://127.0.0.1:1/v1" },
      keyed: { type: "model", baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: "NO_SUCH_KEY" },
      bare: { type: "acp" },
      half: { model: "m" },
    },
  };
  const made = ["mine", "gone", "bare", "local", "served", "keyed"];
  const given = surroundings(["my-agent"], made, settings);
  expect(await lookUpBackend("mine", given)).toMatchObject({
    status: "ready",
    program: expect.stringMatching(/\/my-agent$/),
  });
  expect(await lookUpBackend("gone", given)).toEqual({
    backend: "gone",
    status: "missing",
    message: 'needs the command "no-agent", which is not on PATH',
    hint: "say in the configuration which program it is: backends.gone.command",
  });
  expect(await lookUpBackend("bare", given)).toMatchObject({
    status: "missing",
    message: "has no command",
  });
  expect(await lookUpBackend("local", given)).toMatchObject({
    status: "missing",
    message: "has no baseUrl",
    hint: "say in the configuration where its models are: backends.local.baseUrl",
  });
  expect(await lookUpBackend("served", given)).toMatchObject({ status: "ready" });
  expect(await lookUpBackend("keyed", given)).toMatchObject({
    status: "signed-out",
    hint: "set NO_SUCH_KEY",
  });
  expect(await lookUpBackend("half", given)).toMatchObject({
    status: "missing",
    message: 'there is no backend "half" whose type takes effect',
  });
  expect(await lookUpBackend("mien", given)).toMatchObject({
    status: "missing",
    message: 'there is no backend "mien"',
    hint: expect.stringContaining('did you mean "mine"?'),
  });
});

function definitionOf(backends: readonly string[]): PatternDefinition {
  return {
    format: 1,
    shape: "pattern",
    name: "many",
    pattern: "fan-out",
    params: {},
    agents: backends.map((backend, index) => ({ id: `a${index}`, backend })),
    steps: [],
    barriers: [],
    onFailure: "continue",
    channel: "main",
    options: {},
  };
}

test("preflight tells what every agent lacks at once, with what to do [AGT-14, WF-12.order]", async () => {
  const given = surroundings([], ["claude", "codex"]);
  const ports = {
    backend: () => {
      throw new Error("is not asked for");
    },
    lookUp: (name: string) => lookUpBackend(name, given),
    file: "flows/review.yaml",
  };
  await expect(preflight(definitionOf(["claude", "codex", "gemini"]), ports)).rejects.toMatchObject(
    {
      code: "BACKEND_PREFLIGHT_FAILED",
      message: [
        'agent "a0": needs the command "claude", which is not on PATH',
        'agent "a1": needs the command "codex", which is not on PATH',
        'agent "a2": this version cannot run gemini agents yet',
      ].join("\n"),
      hint: expect.stringContaining("troupe run flows/review.yaml --backend script"),
    },
  );
});

test("a hostile file name is not put into a command to copy [AGT-14, T6]", async () => {
  const ports = {
    backend: () => {
      throw new Error("is not asked for");
    },
    lookUp: (name: string) => lookUpBackend(name, surroundings([])),
    file: "x; rm -rf ~",
  };
  await expect(preflight(definitionOf(["claude"]), ports)).rejects.toMatchObject({
    hint: expect.stringContaining("troupe run FILE --backend script"),
  });
});

test("whether an agent is signed in is asked with its own environment, and told before the run [AGT-14]", async () => {
  const given = {
    ...surroundings(["claude"]),
    find: () => async () => ({ signIn: () => NOTHING }),
  };
  const backend: AgentBackend = {
    name: "claude",
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    check: async ({ env = {} }) =>
      env["SOME_KEY"] === undefined ? [{ message: "is not signed in", hint: "sign in" }] : [],
    open: () => Promise.reject(new Error("is not opened")),
  };
  const ports = { backend: async () => backend, lookUp: () => lookUpBackend("claude", given) };
  const definition = definitionOf(["claude"]);
  await expect(preflight(definition, ports)).rejects.toMatchObject({
    code: "BACKEND_PREFLIGHT_FAILED",
    message: 'agent "a0": is not signed in',
  });
  const agents = definition.agents.map((agent) => ({ ...agent, env: { SOME_KEY: "k" } }));
  await expect(preflight({ ...definition, agents }, ports)).resolves.toBeUndefined();
});

test.each([
  ["claude", "2.1.330 (Claude Code)", undefined],
  ["claude", "2.1.999 (Claude Code)", undefined],
  ["claude", "2.2.0 (Claude Code)", "newer than 2.1.330, which troupe was tested with"],
  ["codex", "codex-cli 0.99.1", "older than 0.169.0, which troupe was tested with"],
  ["gemini", "1.0", "newer than 0.61.0, which troupe was tested with"],
  ["aider", "aider 0.86.0", "never driven by troupe's own tests"],
])("the version %s tells as %j is noted as %j [AGT-14]", (backend, told, expected) => {
  const known = agentPrograms.find((program) => program.backend === backend);
  expect(known && versionNote(known, told)).toBe(expected);
});

test("the versions that troupe says it was tested with are those of its tests [AGT-14]", async () => {
  const tested = agentPrograms.filter((program) => program.tested !== undefined);
  expect(tested.map(({ backend, tested: version }) => [backend, version])).toEqual(
    pinnedClients.map(({ name, version }) => [name, version]),
  );
});

test("a backend that the project defines and that is not trusted is told as that, with the way to take it", async () => {
  const around = { ...surroundings([]), untrusted: ["mine"] };
  expect(await lookUpBackend("mine", around)).toMatchObject({
    status: "missing",
    message: expect.stringContaining("not trusted"),
    hint: expect.stringContaining("troupe trust"),
  });
  expect((await lookUpBackend("yours", around)).message).toBe('there is no backend "yours"');
});
