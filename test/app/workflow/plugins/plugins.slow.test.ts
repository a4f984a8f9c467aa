import { expect, test } from "vitest";
import { checkPlugins } from "../../../../src/app/doctor/examine.ts";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import type { Machine } from "../../../../src/app/machine/machine.ts";
import { grantTrust } from "../../../../src/app/machine/trust/trust-store.ts";
import { planRun } from "../../../../src/app/plan/plan-run.ts";
import { foundFilesOf } from "../../../../src/app/workflow/found-files.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import { codeOf } from "../../../../src/app/workflow/plugins/code-of.ts";
import { pluginDoubts, pluginFiles } from "../../../../src/app/workflow/plugins/plugin-files.ts";
import { sha256 } from "../../../../src/foundation/hash.ts";
import { type ConfigProject, createConfigProject } from "../../machine/config/config-project.ts";

const PLUGIN = `import { upper } from "./upper.mjs";
export default { stepTypes: [{ name: "shout", execute: () => upper("hey") }] };
`;
const CONFIG = "plugins: [./plugin.mjs]\n";

function project(config = CONFIG, plugin = PLUGIN): ConfigProject {
  const made = createConfigProject({ project: config });
  made.write("project/.troupe/plugin.mjs", plugin);
  made.write("project/.troupe/upper.mjs", "export const upper = (text) => text.toUpperCase();\n");
  return made;
}

/** Trusts all that there is now, as `troupe trust` does. */
async function trust(made: ConfigProject): Promise<void> {
  const config = await configOf(made.machine());
  const found = foundFilesOf(made.machine(), config);
  const agentFiles = Object.fromEntries(found.map(({ path, hash = "" }) => [path, hash]));
  const hash = config.files.find(({ level }) => level === "project")?.hash ?? "";
  grantTrust(made.env, {
    directory: made.root,
    hash,
    agentFiles,
    trustedAt: "2026-01-01T00:00:00.000Z",
  });
}

async function typesOf(machine: Machine): Promise<readonly string[]> {
  return (await codeOf(machine)).stepTypes.map(({ name }) => name);
}

async function doubtsOf(machine: Machine): Promise<readonly string[]> {
  return pluginDoubts(machine, await configOf(machine)).map(({ message }) => message);
}

test("a plug-in of a project is loaded once it is trusted, and no more when it or what it imports has changed [SEC-1, T18]", async () => {
  const made = project();
  expect(await typesOf(made.machine())).toEqual([]);
  await trust(made);
  expect(await typesOf(made.machine())).toEqual(["shout"]);
  expect(await doubtsOf(made.machine())).toEqual([]);
  made.write("project/.troupe/upper.mjs", "export const upper = () => process.exit(1);\n");
  expect(await typesOf(made.machine())).toEqual([]);
  expect(await doubtsOf(made.machine())).toEqual([
    expect.stringContaining(".troupe/plugin.mjs; to take them: troupe trust"),
  ]);
  expect(await typesOf(made.machine({ trustsProject: true }))).toEqual(["shout"]);
});

test("plug-ins of the user need no trust, and those of the project come beside them [SEC-1]", async () => {
  const made = createConfigProject({ user: "plugins: [./mine.mjs]\n", project: CONFIG });
  made.write(
    "home/.config/troupe/mine.mjs",
    'export const guards = [{ name: "mine", check: () => undefined }];',
  );
  made.write("project/.troupe/plugin.mjs", "export const stepTypes = [];");
  const machine = made.machine({ trustsProject: true });
  expect((await codeOf(machine)).guards.map(({ name }) => name)).toEqual(["mine"]);
  const files = pluginFiles(machine, await configOf(machine));
  expect(files.map(({ level, isTrusted }) => [level, isTrusted])).toEqual([
    ["user", true],
    ["project", true],
  ]);
});

test("a plug-in that leads out of its project is not loaded, however much it is trusted [T8, SEC-1]", async () => {
  const made = createConfigProject({ project: "plugins: [../../outside.mjs]\n" });
  made.write("outside.mjs", "export const stepTypes = [];");
  await trust(made);
  const machine = made.machine({ trustsProject: true });
  expect(pluginFiles(machine, await configOf(machine))).toMatchObject([{ isTrusted: false }]);
});

test.each([
  ["PLUGIN_UNLOADABLE", "throw new Error('boom');", "boom"],
  [
    "PLUGIN_INVALID",
    "export const other = 1;",
    "exports none of stepTypes, guards, patterns, backends and routes",
  ],
  ["PLUGIN_INVALID", "export default { stepTypes: 7 };", "lists of objects"],
  ["PLUGIN_INVALID", "export default { stepTypes: [], paterns: [] };", '"paterns"'],
  [
    "WORKFLOW_STEP_TYPE_INVALID",
    'export const stepTypes = [{ name: "shell", execute() {} }];',
    "is there already",
  ],
  [
    "WORKFLOW_STEP_TYPE_INVALID",
    'export const stepTypes = [{ name: "x" }];',
    "no function execute",
  ],
  ["WORKFLOW_GUARD_INVALID", 'export const guards = [{ name: "x" }];', "no function check"],
  [
    "WORKFLOW_PATTERN_INVALID",
    'export const patterns = [{ name: "mesh", run() {} }];',
    "is there already (in ",
  ],
  ["WORKFLOW_PATTERN_INVALID", 'export const patterns = [{ name: "x" }];', "no function run"],
  [
    "WORKFLOW_PATTERN_INVALID",
    'export const patterns = [{ name: "Own One", run() {} }];',
    "lower-case words",
  ],
  [
    "WORKFLOW_PATTERN_INVALID",
    'export const patterns = [{ name: "x", block: {}, run() {} }];',
    "no zod schema",
  ],
  [
    "WORKFLOW_PATTERN_INVALID",
    'export const patterns = [{ name: "budget", block: { safeParse() {} }, run() {} }];',
    'under the key "budget", which every pattern file has; set blockKey',
  ],
  [
    "WORKFLOW_PATTERN_INVALID",
    'const run = () => {}; export const patterns = [{ name: "a", blockKey: "mesh", run }];',
    'under the key "mesh", which is that of mesh',
  ],
  [
    "WORKFLOW_BACKEND_INVALID",
    'export const backends = [{ name: "claude", create() {} }];',
    "is there already (in ",
  ],
  ["WORKFLOW_BACKEND_INVALID", 'export const backends = [{ name: "x" }];', "no function create"],
])("a plug-in with a mistake is refused: %s %s [STP-1]", async (code, text, message) => {
  const machine = project(CONFIG, text).machine({ trustsProject: true });
  await expect(codeOf(machine)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});

test("a plug-in that is missing is told with its file [STP-1]", async () => {
  const made = createConfigProject({ user: "plugins: [./gone.mjs]\n" });
  await expect(codeOf(made.machine())).rejects.toMatchObject({
    code: "PLUGIN_UNLOADABLE",
    details: { file: expect.stringContaining("gone.mjs") },
  });
});

test("workflow files may use the types of plug-ins, and without them the type is unknown [STP-1]", async () => {
  const made = project();
  const text = "id: loud\nsteps:\n  - { id: say, type: shout }\n";
  const load = (machine: Machine) => loadFile(machine, { file: "loud.yaml", text });
  expect((await load(made.machine({ trustsProject: true }))).problems).toEqual([]);
  expect((await load(made.machine())).problems).toMatchObject([
    { code: "WORKFLOW_UNKNOWN_STEP_TYPE" },
  ]);
});

test("the doctor loads every trusted plug-in and says what it has [STP-1]", async () => {
  const made = project();
  await trust(made);
  const look = (machine: Machine) => checkPlugins(machine).look(new AbortController().signal);
  expect(await look(made.machine())).toMatchObject([
    { status: "ok", text: expect.stringContaining("shout") },
  ]);
  made.write("project/.troupe/plugin.mjs", "throw new Error('boom');");
  expect(await look(made.machine())).toMatchObject([{ status: "warning", hint: "troupe trust" }]);
  expect(await look(made.machine({ trustsProject: true }))).toMatchObject([
    { status: "problem", text: expect.stringContaining("boom") },
  ]);
});

test("what trust covers is the content of each file [SEC-1]", async () => {
  const made = project();
  const found = foundFilesOf(made.machine(), await configOf(made.machine()));
  expect(found).toEqual([
    { path: ".troupe/plugin.mjs", hash: sha256(PLUGIN), isTrusted: false },
    { path: ".troupe/upper.mjs", hash: expect.any(String), isTrusted: false },
  ]);
});

const OWN = `
import { z } from "zod";
export const patterns = [{
  name: "one-each",
  block: z.strictObject({ hint: z.string() }),
  run: async (_context, { agents, block, turn }) => {
    for (const { id } of agents) await turn({ agent: id, now: block.hint });
    return { outcome: "completed", reason: "each has had a turn" };
  },
}];
export const backends = [{
  name: "house",
  create: ({ session }) => ({
    name: "house", conventions: "none", demandsSignal: false, takesMessages: false,
    check: async () => [],
    open: async (request) => session(request, async () => "done"),
  }),
}];
`;

test("workflow files may use the patterns and backends of a plug-in that is trusted, and no others [SDK-1.own, SEC-1]", async () => {
  const made = project(CONFIG, OWN);
  const text =
    "name: own\npattern: one-each\noneEach: { hint: go }\nagents:\n  - { id: a, backend: house }\n";
  const load = (machine: Machine, source = text) =>
    loadFile(machine, { file: "own.yaml", text: source });
  expect((await load(made.machine({ trustsProject: true }))).problems).toEqual([]);
  const refused = (await load(made.machine())).problems.map(({ message }) => message);
  expect(refused).toEqual([
    'pattern cannot be "one-each"',
    'unknown key "oneEach" in the workflow',
    'agent "a" uses backend "house", which is no backend',
  ]);
  const wrong = await load(made.machine({ trustsProject: true }), text.replace("hint", "hind"));
  expect(wrong.problems).toMatchObject([
    { line: 3, message: 'the key "hint" is missing in oneEach' },
    { line: 3, message: expect.stringContaining("hind") },
  ]);
});

test("a plan gives the turns of a pattern of a plug-in, and asks its backends [SDK-1.own]", async () => {
  const machine = project(CONFIG, OWN).machine({ trustsProject: true });
  const text =
    "name: own\npattern: one-each\noneEach: { hint: go }\nagents:\n  - { id: a, backend: house }\n  - { id: b, backend: script }\n";
  const { definition } = await loadFile(machine, { file: "own.yaml", text });
  if (definition === undefined) throw new Error("it is valid");
  const plan = await planRun(machine, { definition, start: { task: "a task" } });
  expect(plan.prompts.map(({ agent }) => agent)).toEqual(["a", "b"]);
  expect(plan.agents.map(({ problems }) => problems)).toEqual([[], []]);
});

test("the configuration may name the backend of a plug-in, and a name that none has is told with its line [SDK-1.own, SEC-1]", async () => {
  const naming = (backend: string) =>
    `${CONFIG}defaults: { backend: ${backend} }\nroles: { scout: { backend: ${backend} } }\n`;
  const text = "name: own\npattern: dag\nagents: [{ id: a }]\nsteps: [{ id: s, agent: a }]\n";
  const load = (config: string) =>
    loadFile(project(config, OWN).machine({ trustsProject: true }), { file: "own.yaml", text });
  const { definition, problems } = await load(naming("house"));
  expect([problems, definition?.agents[0]?.backend]).toEqual([[], "house"]);
  await expect(load(naming("hous"))).rejects.toMatchObject({
    code: "CONFIG_VALUE",
    message: 'defaults.backend is "hous", which is no backend, and no plug-in has it',
    hint: expect.stringContaining('did you mean "house"?'),
    place: { line: expect.any(Number) },
  });
  const scout = `${CONFIG}roles: { scout: { backend: hous } }\n`;
  await expect(load(scout)).rejects.toMatchObject({
    message: 'roles.scout.backend is "hous", which is no backend, and no plug-in has it',
  });
});

test("functions of routes come with plug-ins; a file that asks another one is refused at its place [PAT-handoff, WF-1]", async () => {
  const made = createConfigProject({ user: "plugins: [./mine.mjs]\n" });
  made.write(
    "home/.config/troupe/mine.mjs",
    'export default { routes: [{ name: "is-invoice", test: (text) => text.includes("invoice") }] };\n',
  );
  const agents =
    "agents:\n  - { id: desk, backend: command, command: cat }\n  - { id: billing, backend: command, command: cat }\n";
  const block = (test: string) => `routes: [{ agent: billing, test: ${test} }]`;
  const loads = async (text: string) => {
    const { problems } = await loadFile(made.machine(), { file: "f.yaml", text });
    return problems.filter(({ severity }) => severity === "error");
  };
  const chain = (test: string) =>
    `name: f\npattern: handoff\n${agents}handoff:\n  ${block(test)}\n`;
  expect(await loads(chain("is-invoice"))).toEqual([]);
  expect(await loads(chain("is-invoce"))).toMatchObject([
    {
      code: "WORKFLOW_UNKNOWN_TEST",
      line: 7,
      column: 36,
      hint: expect.stringContaining('did you mean "is-invoice"?'),
    },
  ]);
  const steps = (test: string) =>
    `id: f\n${agents}steps:\n  - { id: s, type: pattern, pattern: handoff, agents: [desk, billing], handoff: { ${block(test)} } }\n`;
  expect(await loads(steps("is-invoice"))).toEqual([]);
  expect(await loads(steps("gone"))).toMatchObject([
    { code: "WORKFLOW_UNKNOWN_TEST", line: 6, column: 116 },
  ]);
  made.write("project/below.yaml", steps("gone"));
  expect(
    await loads("id: above\nsteps:\n  - { id: s, type: workflow, file: below.yaml }\n"),
  ).toMatchObject([
    {
      code: "WORKFLOW_CHILD_INVALID",
      line: 3,
      message: expect.stringContaining("below.yaml:6:116 WORKFLOW_UNKNOWN_TEST"),
    },
  ]);
});
