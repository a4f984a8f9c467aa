import { expect, test } from "vitest";
import { configuredBackend } from "../../../../src/app/machine/backends/configured-backend.ts";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import type { AgentSpec } from "../../../../src/contracts/agent.ts";
import type { AgentBackend } from "../../../../src/contracts/backend.ts";
import { createConfigProject } from "./config-project.ts";

const MINE = "backends: { mine: { type: acp, command: [my-agent, --acp] } }\n";
const FLOW = (backend: string) =>
  `name: f\npattern: fan-out\nagents: [{ id: a, backend: ${backend} }]\n`;

test("all that the configuration says of a command line agent takes effect [AGT-3.settings]", async () => {
  const { machine } = createConfigProject({
    user: "backends: { claude: { command: c, args: [x], env: { A: b }, model: m, baseUrl: 'http://127.0.0.1:1', apiKeyEnv: K } }\n",
  });
  const { problems, config } = await machine().readConfig();
  expect(problems).toEqual([]);
  expect(config?.unsupported).toEqual([]);
});

test("a backend of one's own may be used in workflows by its name [AGT-3.settings, WF-12.order]", async () => {
  const project = createConfigProject({ user: MINE });
  const load = (backend: string) =>
    loadFile(project.machine(), { file: "f.yaml", text: FLOW(backend) });
  const { definition, problems } = await load("mine");
  expect(problems).toEqual([]);
  expect(definition?.agents[0]?.backend).toBe("mine");
  expect((await load("mien")).problems).toMatchObject([
    { code: "WORKFLOW_UNKNOWN_BACKEND", hint: expect.stringContaining('did you mean "mine"?') },
  ]);
});

test("that of an untrusted project has a name, so that files can be checked, and no effect [SEC-1, WF-2.load]", async () => {
  const { machine } = createConfigProject({ project: MINE });
  const loaded = await loadFile(machine(), { file: "f.yaml", text: FLOW("mine") });
  expect(loaded.problems).toEqual([]);
  expect((await configOf(machine())).settings.backends).toBeUndefined();
});

test("the words of Claude Code for permission modes are understood, and need trust as Troupe's do [AGT-10, SEC-1]", async () => {
  const text = (mode: string) => `defaults: { permissionMode: ${mode} }\n`;
  const mode = async (project: ReturnType<typeof createConfigProject>) => {
    const { settings, trust } = await configOf(project.machine());
    return [settings.defaults?.permissionMode, trust];
  };
  expect(await mode(createConfigProject({ user: text("acceptEdits") }))).toEqual([
    "accept-edits",
    "not-needed",
  ]);
  expect(await mode(createConfigProject({ project: text("bypassPermissions") }))).toEqual([
    "ask",
    "untrusted",
  ]);
  expect(await mode(createConfigProject({ project: text("dontAsk") }))).toEqual([
    "dont-ask",
    "not-needed",
  ]);
});

test("each question to a backend comes with the environment that the configuration gives its agents [AGT-11]", async () => {
  const asked: { readonly [what: string]: unknown }[] = [];
  const backend: AgentBackend = {
    name: "mine",
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    passes: ["FIRST"],
    account: ({ env }) => `account of ${env["WHO"]}`,
    interactive: async ({ env, cwd }) => ({ argv: ["mine"], env, cwd }),
    check: async ({ env }) => {
      asked.push({ check: env });
      return [];
    },
    open: async ({ env }) => {
      asked.push({ open: env });
      return { prompt: () => expect.unreachable(), close: async () => {} };
    },
  };
  const configured = configuredBackend(backend, {
    backends: { mine: { env: { WHO: "config", SET: "config" }, apiKeyEnv: "KEY" } },
  });
  const spec: AgentSpec = { id: "a", backend: "mine", env: { WHO: "flow" } };
  const request = { run: "r", session: "s", spec, cwd: "/", env: { PATH: "/bin", WHO: "login" } };
  const env = { PATH: "/bin", WHO: "flow", SET: "config" };
  await configured.check(spec);
  await configured.open(request);
  expect(asked).toEqual([{ check: { WHO: "flow", SET: "config" } }, { open: env }]);
  expect(configured.account?.(request)).toBe("account of flow");
  expect((await configured.interactive?.(request))?.env).toEqual(env);
  expect(configured.passes).toEqual(["FIRST", "KEY"]);
});

test.each([
  ["permissions: { timeout: soon }", "CONFIG_VALUE"],
  ["permissions: { timeout: 0s }", "CONFIG_VALUE"],
  ["permissions: { onTimeout: maybe }", "CONFIG_VALUE"],
  ["defaults: { permissionMode: yolo }", "CONFIG_VALUE"],
])("%s is %s", async (text, code) => {
  const { machine } = createConfigProject({ user: `${text}\n` });
  expect((await machine().readConfig()).problems.map((problem) => problem.code)).toEqual([code]);
});
