import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { isRecord } from "../../src/foundation/json.ts";
import { type ConfigProject, createConfigProject } from "../app/machine/config/config-project.ts";
import { type Called, call } from "./fake-io.ts";

const FLOW = `name: flow
pattern: dag
options: { timeout: 5s }
agents:
  - { id: own, backend: human }
  - { id: open }
  - { id: shell, backend: command, command: ls, permissionMode: plan }
steps:
  - { id: a, agent: own, prompt: go }
  - { id: b, agent: open, prompt: go }
  - { id: c, agent: shell }
`;

function config({ root, env }: ConfigProject, ...args: readonly string[]): Promise<Called> {
  return call(root, ["config", ...args], { env });
}

test("config prints the result as YAML, with where each value came from [CLI-1]", async () => {
  const project = createConfigProject({
    user: "defaults: { timeout: 5m }\npermissions: { deny: [Read] }\n",
    project:
      'defaults: { backend: script }\nprices:\n  "v/m": { inputPerMTok: 3, outputPerMTok: 15 }\n',
  });
  const { exitCode, out, err } = await config(project);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const shown = out.replaceAll(project.root, "PROJECT").replaceAll(project.home, "HOME");
  expect(shown.split("\n")).toEqual([
    "# user     HOME/.config/troupe/config.yaml",
    "# project  PROJECT/.troupe/config.yaml  (nothing in it needs trust)",
    "",
    "defaults:",
    "  permissionMode: ask     # default",
    expect.stringMatching(/^ {2}timeout: 5m +# user .*config\.yaml:1$/),
    "  backend: script         # project .troupe/config.yaml:1",
    "permissions:",
    "  deny:",
    expect.stringMatching(/^ {4}- Read +# user .*config\.yaml:2$/),
    "limits:",
    "  maxDepth: 1             # default",
    "collab:",
    "  defaultWaitTimeout: 5m  # default",
    "  maxWaitTimeout: 1h      # default",
    "prices:",
    "  v/m:",
    "    inputPerMTok: 3       # project .troupe/config.yaml:3",
    "    outputPerMTok: 15     # project .troupe/config.yaml:3",
    "notify: false             # default",
    "engine: embedded          # default",
    "",
  ]);
});

test("what it prints is YAML that says the same, whatever stands in it [CLI-1, T12]", async () => {
  const odd = 'yes: no # "x" \\ \u202e';
  const project = createConfigProject({
    user: `defaults: { model: ${JSON.stringify(odd)} }\nbackends: { codex: { args: ["-1", "null", "", " x "], env: { A: "0x1F" } } }\n`,
  });
  const { out } = await config(project, "-q");
  const value: unknown = parseDocument(out).toJS();
  expect(out).not.toContain("\u202e");
  expect(value).toMatchObject({
    defaults: { model: odd.replace("\u202e", "<U+202E>") },
    backends: { codex: { args: ["-1", "null", "", " x "], env: { A: "0x1F" } } },
  });
});

test("with a file it shows what the agents of that workflow get, and why [CLI-1, WF-12.order]", async () => {
  const project = createConfigProject({
    user: "defaults: { backend: script, permissionMode: accept-edits, maxConcurrency: 2 }\nbudget: { turns: 9 }\n",
  });
  project.write("project/flow.yaml", FLOW);
  const { exitCode, out } = await config(project, "flow.yaml");
  expect(exitCode).toBe(0);
  const lines = out.split("\n").map((line) => line.replace(/ +# /, " # ").replace(/\/.*\//, ""));
  const from = lines.indexOf("workflow:");
  expect(lines.slice(from, -1)).toEqual([
    "workflow:",
    "  pattern: dag # workflow flow.yaml:2",
    "  timeout: 5s # workflow flow.yaml:3",
    "  maxConcurrency: 2 # user config.yaml:1",
    "  budget:",
    "    turns: 9 # user config.yaml:2",
    "  agents:",
    "    own:",
    "      backend: human # workflow flow.yaml:5",
    "      permissionMode: accept-edits # user config.yaml:1",
    "    open:",
    "      backend: script # user config.yaml:1",
    "      permissionMode: accept-edits # user config.yaml:1",
    "    shell:",
    "      backend: command # workflow flow.yaml:7",
    "      permissionMode: plan # workflow flow.yaml:7",
  ]);
});

test("the flag wins over the file, the file over the project, that over the user [CLI-1, WF-12.order]", async () => {
  const texts = { user: "defaults: { backend: human }\n" };
  const flow = (top: string) =>
    `name: f\npattern: dag\n${top}\nagents: [{ id: a }]\nsteps: [{ id: s, agent: a, prompt: go }]\n`;
  const backendOf = async (project: ConfigProject, ...args: readonly string[]) => {
    const { out } = await config(project, "f.yaml", "--json", ...args);
    const value: unknown = JSON.parse(out);
    const workflow = isRecord(value) ? value["workflow"] : undefined;
    const values =
      isRecord(workflow) && Array.isArray(workflow["values"]) ? workflow["values"] : [];
    return values.find(({ path }) => path.join(".") === "agents.a.backend");
  };
  const user = createConfigProject(texts);
  user.write("project/f.yaml", flow(""));
  expect(await backendOf(user)).toMatchObject({ value: "human", origin: { level: "user" } });
  const both = createConfigProject({ ...texts, project: "defaults: { backend: script }\n" });
  both.write("project/f.yaml", flow(""));
  expect(await backendOf(both)).toMatchObject({ value: "script", origin: { level: "project" } });
  both.write("project/f.yaml", flow("backend: codex"));
  expect(await backendOf(both)).toMatchObject({
    value: "codex",
    origin: { level: "workflow", line: 3 },
  });
  expect(await backendOf(both, "--backend", "script")).toMatchObject({
    value: "script",
    origin: { level: "--backend" },
  });
  const none = createConfigProject();
  none.write("project/f.yaml", flow(""));
  expect(await backendOf(none)).toMatchObject({ value: "claude", origin: { level: "machine" } });
});

test("secrets are masked in every form of the output [T11]", async () => {
  const project = createConfigProject({
    env: { MY_TOKEN: "inherited-token" },
    user: 'defaults: { model: inherited-token }\nbackends: { codex: { env: { API_KEY: abc, PLAIN: seen }, baseUrl: "http://me:geheim1@host/v1" } }\n',
    project: "backends: { claude: { env: { OTHER_TOKEN: untrusted-token } } }\n",
  });
  project.write("project/flow.yaml", FLOW);
  for (const args of [[], ["--json"], ["flow.yaml"], ["flow.yaml", "--json"], ["--trust"]]) {
    const { exitCode, out, err } = await config(project, ...args);
    expect(exitCode).toBe(0);
    expect(out).toContain("seen");
    for (const secret of ["inherited-token", "abc", "geheim1", "untrusted-token"])
      expect(`${out}${err}`).not.toContain(secret);
  }
});

test("--paths tells the places, also when the configuration is broken [CLI-1]", async () => {
  const project = createConfigProject({ user: "broken: [\n" });
  const { exitCode, out } = await config(project, "--paths");
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^user configuration +\S+config\.yaml +exists +TROUPE_HOME/m);
  expect(out).toMatch(/^trusted projects +\S+trust\.json +not there/m);
  const json: unknown = JSON.parse((await config(project, "--paths", "--json")).out);
  expect(json).toMatchObject({
    v: 1,
    paths: expect.arrayContaining([
      { name: "project", path: project.root, exists: true, decidedBy: expect.any(String) },
    ]),
  });
});

test.each([
  ["config"],
  ["run", "flow.yaml"],
  ["plan", "flow.yaml"],
  ["validate", "flow.yaml"],
  ["trust", "--show"],
])("with a broken configuration %s does nothing and tells all of it [CLI-1]", async (...args) => {
  const project = createConfigProject({ user: "defualts: 1\nnotify: maybe\n" });
  project.write("project/flow.yaml", FLOW);
  const { exitCode, out, err } = await call(project.root, args, { env: project.env });
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain('unknown key "defualts" in the configuration');
  expect(err).toContain("notify must be true or false, got a text");
});

test("commands that only look at runs do not care for the configuration [CLI-1]", async () => {
  const project = createConfigProject({ user: "broken: [\n" });
  expect((await call(project.root, ["runs"], { env: project.env })).exitCode).toBe(0);
});

test("keys without an effect are one line of a run, unless it is quiet [CLI-1]", async () => {
  const project = createConfigProject({
    user: "defaults: { backend: script }\nbackends: { codex: { api: chat } }\nengine: { restate: 'http://127.0.0.1:8080' }\n",
  });
  project.write(
    "project/one.yaml",
    "name: one\npattern: dag\nagents: [{ id: a }]\nsteps: [{ id: s, agent: a, prompt: go }]\n",
  );
  const { exitCode, err } = await call(project.root, ["run", "one.yaml"], { env: project.env });
  expect(exitCode).toBe(0);
  expect(err).toBe(
    "warning[CONFIG_NOT_SUPPORTED]: without effect in this version: backends.codex.api, engine; troupe config says why\n",
  );
  const quiet = await call(project.root, ["run", "one.yaml", "-q"], { env: project.env });
  expect(quiet.err).toBe("");
});

test("agents whose backend is missing are exit code 4 before anything starts [AGT-14, WF-12.order]", async () => {
  const project = createConfigProject({ env: { PATH: "/nowhere" } });
  project.write(
    "project/two.yaml",
    "name: two\npattern: fan-out\nagents: [{ id: a }, { id: b, backend: codex }]\n",
  );
  const { exitCode, out, err } = await call(project.root, ["run", "two.yaml", "do it"], {
    env: project.env,
  });
  expect({ exitCode, out }).toEqual({ exitCode: 4, out: "" });
  expect(err.split("\n").slice(0, 3)).toEqual([
    'error[BACKEND_PREFLIGHT_FAILED]: agent "a": needs the command "claude", which is not on PATH',
    'agent "b": needs the command "codex", which is not on PATH',
    "  = install it: npm install -g @anthropic-ai/claude-code; install it: npm install -g @openai/codex; try it without any: troupe run two.yaml --backend script",
  ]);
  const runs = await call(project.root, ["runs", "--json"], { env: project.env });
  expect(JSON.parse(runs.out)).toMatchObject({ runs: [] });
});

test.each([["config"], ["run", "flow.yaml"], ["trust", "--show"]])(
  "with a broken configuration %s --json prints the error as JSON [CLI-1]",
  async (...args) => {
    const project = createConfigProject({ user: "notify: maybe\n" });
    project.write("project/flow.yaml", FLOW);
    const called = await call(project.root, [...args, "--json"], { env: project.env });
    expect(called.exitCode).toBe(2);
    const text = called.out === "" ? called.err : called.out;
    expect(JSON.parse(text)).toMatchObject({
      v: 1,
      error: { code: "CONFIG_INVALID", details: { problems: [{ code: "CONFIG_TYPE", line: 1 }] } },
    });
  },
);
