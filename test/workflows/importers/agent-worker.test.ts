import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KickoffDefinition } from "../../../src/contracts/definition.ts";
import { printImported } from "../../../src/workflows/importers/print-imported.ts";
import { type ParseOptions, parseWorkflow } from "../../../src/workflows/parse-workflow.ts";
import { loadOptions } from "../load-options.ts";

const SOURCES = join(import.meta.dirname, "agent-worker");
const options: ParseOptions = {
  ...loadOptions,
  projectRoot: SOURCES,
  fileDirectory: SOURCES,
  importFrom: "agent-worker",
};

/** A file with one agent, and further lines. */
function file(agent: string, lines = ""): string {
  return `agents:\n  a: ${agent}\n${lines}\n`;
}

function load(text: string, given: ParseOptions = options) {
  const loaded = parseWorkflow(text, "flow.yaml", given);
  const { definition, problems } = loaded;
  const codes = problems.map(({ code }) => code.replace("WORKFLOW_IMPORT_", ""));
  return { ...loaded, definition: kickoff(definition), codes };
}

function kickoff(definition: unknown): Partial<KickoffDefinition> {
  return typeof definition === "object" && definition !== null ? definition : {};
}

/** What the first agent came to. */
function agentOf(text: string) {
  const { definition, codes } = load(text);
  return { agent: definition.agents?.[0], codes };
}

describe("a key of an agent is carried over [WF-9.agent-worker]", () => {
  const call = { backend: "model", model: "p/m" };
  test.each([
    ["model", "{ model: p/m }", call],
    ["model with a colon", "{ model: 'p:m' }", call],
    ["model of the file's own API", "{ backend: sdk, model: 'p:m' }", call],
    ["model without a provider", "{ runtime: ai-sdk, model: m }", { backend: "model", model: "m" }],
    ["model and provider", "{ model: m, provider: p }", call],
    ["model and a provider object", "{ model: m, provider: { name: p } }", call],
    ["model as an object", "{ model: { id: m, provider: p } }", call],
    ["backend default", "{ backend: default, model: p/m }", call],
    ["backend claude", "{ backend: claude }", { backend: "claude" }],
    [
      "runtime claude-code",
      "{ runtime: claude-code, model: o }",
      { backend: "claude", model: "o" },
    ],
    ["runtime codex", "{ runtime: codex }", { backend: "codex" }],
    ["runtime cursor", "{ runtime: cursor, model: auto }", { backend: "cursor", model: "auto" }],
    ["runtime opencode", "{ runtime: opencode, model: auto }", { backend: "opencode" }],
    ["system_prompt", "{ system_prompt: Hi }", { settings: { systemPrompt: "Hi" } }],
    ["instructions", "{ instructions: Hi }", { settings: { systemPrompt: "Hi" } }],
    [
      "system_prompt_file",
      "{ system_prompt_file: prompts/editor.md }",
      { settings: { systemPrompt: "Sum up what the others found.\n" } },
    ],
    ["tools", "{ tools: [bash, read_file, Edit] }", { tools: ["Bash", "Read", "Edit"] }],
    ["env", "{ env: { A: 1, B: x } }", { env: { A: "1", B: "x" } }],
    [
      "policy.permissionMode",
      "{ policy: { permissionMode: acceptEdits } }",
      { permissionMode: "accept-edits" },
    ],
    ["policy.fullAuto false", "{ policy: { fullAuto: false } }", { permissionMode: "ask" }],
    ["policy of nothing", "{ policy: {}, model: p/m }", call],
    ["on_demand", "{ on_demand: true, model: p/m }", call],
    ["channels", "{ channels: [general], model: p/m }", call],
    ["empty lists", "{ mounts: [], mcp: {}, model: p/m }", call],
    ["a key of troupe", "{ permissionMode: plan }", { permissionMode: "plan" }],
  ])("%s", (_, agent, wanted) => {
    expect(agentOf(file(agent))).toEqual({ agent: expect.objectContaining(wanted), codes: [] });
  });
});

describe("a key of an agent without a counterpart is told [WF-9.agent-worker]", () => {
  test.each([
    ["max_tokens", "LEFT_OUT"],
    ["max_steps", "LEFT_OUT"],
    ["timeout", "LEFT_OUT"],
    ["role", "LEFT_OUT"],
    ["made_up", "LEFT_OUT"],
    ["ref", "REFUSED"],
    ["wakeup", "REFUSED"],
    ["wakeup_prompt", "REFUSED"],
    ["prompt", "REFUSED"],
    ["mounts", "REFUSED"],
    ["worktree", "REFUSED"],
    ["mcp", "REFUSED"],
    ["mcp_servers", "REFUSED"],
    ["mcpServers", "REFUSED"],
  ])("%s: %s", (key, wanted) => {
    const text = file(`{ model: p/m, ${key}: 5 }`);
    const { problems, codes, definition } = load(text);
    expect(codes).toEqual([wanted]);
    expect(problems[0]?.message).toMatch(new RegExp(`^agents\\.a\\.${key} `));
    expect(problems[0]).toMatchObject({ line: 2, column: text.indexOf(key) - 7 });
    expect(definition.agents === undefined).toBe(wanted === "REFUSED");
  });

  test.each([
    ["{ backend: codex, runtime: claude }", ["LEFT_OUT"]],
    ["{ backend: mock }", ["CHANGED"]],
    ["{ model: auto }", ["LEFT_OUT"]],
    ["{ runtime: codex, provider: p }", ["LEFT_OUT"]],
    ["{ model: { id: p/m, temperature: 1, max_tokens: 2 } }", ["LEFT_OUT", "LEFT_OUT"]],
    ["{ model: m, provider: { name: p, api_key: k } }", ["LEFT_OUT"]],
    ["{ model: m, provider: { name: p, base_url: u } }", ["REFUSED"]],
    ["{ system_prompt: x, instructions: y }", ["LEFT_OUT"]],
    ["{ system_prompt_file: prompts/editor }", ["REFUSED"]],
    ["{ policy: { fullAuto: true, sandbox: workspace-write } }", ["LEFT_OUT", "LEFT_OUT"]],
    ["{ policy: { sandbox: read-only } }", ["REFUSED"]],
    ["{ policy: { fullAuto: false, permissionMode: bypassPermissions } }", ["LEFT_OUT"]],
    ["{ channels: [general, dev] }", ["LEFT_OUT"]],
    ["{ backend: nobody }", ["WORKFLOW_UNKNOWN_BACKEND"]],
    ["{ tools: [teleport] }", []],
  ])("%s", (agent, codes) => {
    expect(load(file(agent)).codes).toEqual(codes);
  });
});

describe("a key of the file [WF-9.agent-worker]", () => {
  const directory = `${join(SOURCES, ".troupe/context")}/\${{ workflow.name }}/\${{ instance }}`;
  const both = { channel: { file: "channel.md" }, document: { file: "notes.md" } };
  const shared = { directory, ...both };
  test.each([
    ["name", "name: x", { name: "x" }, []],
    ["name that is no id", "name: x y", { name: "x-y" }, ["CHANGED"]],
    ["label", "label: Team", { description: "Team" }, []],
    ["context missing", "", { context: shared }, []],
    ["context empty", "context:", { context: shared }, []],
    ["context false", "context: false", { context: undefined }, []],
    ["context.provider", "context: { provider: memory }", { context: shared }, []],
    [
      "context.config.dir",
      "context: { provider: file, config: { dir: 'c/${{ workflow.tag }}' } }",
      { context: { directory: `${SOURCES}/c/\${{ workflow.instance }}`, ...both } },
      [],
    ],
    [
      "context.config.bind",
      "context: { provider: file, config: { bind: ./c, dir: ./d } }",
      { context: { directory: `${SOURCES}/c`, ...both } },
      ["CHANGED", "LEFT_OUT"],
    ],
    [
      "context.documentOwner",
      "context: { provider: file, documentOwner: a }",
      { context: shared },
      ["LEFT_OUT"],
    ],
    ["context.provider of another kind", "context: { provider: cloud }", {}, ["REFUSED"]],
    ["data_dir", "data_dir: data", { context: { directory: `${SOURCES}/data`, ...both } }, []],
    ["storage", "storage: memory", { context: shared }, []],
    ["default_channel", "default_channel: work", { channel: "work" }, []],
    ["channels", "channels: [general]", { channel: "general" }, []],
    ["further channels", "channels: [general, dev]", { channel: "general" }, ["LEFT_OUT"]],
    ["channels of other platforms", "channels: [{ adapter: telegram }]", {}, ["REFUSED"]],
    ["bridges", "bridges: [{ adapter: telegram }]", {}, ["REFUSED"]],
    ["connections", "connections: [{ platform: telegram }]", {}, ["REFUSED"]],
    ["mcp", "mcp: { a: { command: x } }", {}, ["REFUSED"]],
    ["mcp_servers", "mcp_servers: { a: { command: x } }", {}, ["REFUSED"]],
    ["mcpServers", "mcpServers: { a: { command: x } }", {}, ["REFUSED"]],
    ["lead", "lead: a", {}, ["LEFT_OUT"]],
    ["policy.sandbox", "policy: { sandbox: read-only }", {}, ["REFUSED"]],
    ["harnessTypeId", "harnessTypeId: multi-agent-coordination", { context: shared }, []],
    ["harnessTypeId of another kind", "harnessTypeId: other", {}, ["REFUSED"]],
    ["a key that it does not read", "config: { a: 1 }", {}, ["LEFT_OUT"]],
    ["x-", "x-note: 1", {}, []],
    [
      "params",
      "params: [{ name: p, short: p, required: true }, { name: q, type: boolean, default: 'true' }, { name: r }]",
      {
        params: {
          p: { type: "string", required: true },
          q: { type: "boolean", default: true, required: false },
          r: { type: "string", required: false },
        },
      },
      ["LEFT_OUT"],
    ],
    ["params without a name", "params: [{ type: string }]", {}, ["REFUSED"]],
    [
      "setup and kickoff",
      "setup: [{ shell: 'x ${{ harness.tag }}', as: y, more: 1 }]\nkickoff: '@a ${{ y }} ${{ z }}'",
      {
        setup: [{ shell: "x ${{ workflow.instance }}", as: "y" }],
        kickoff: "@a ${{ y }} \\${{ z }}",
      },
      ["LEFT_OUT", "CHANGED"],
    ],
    [
      "a variable of the directory",
      "kickoff: '@a ${{ source.dir }}'",
      {},
      ["REFUSED", "WORKFLOW_UNKNOWN_VARIABLE"],
    ],
    [
      "what is no variable at all",
      "kickoff: '@a ${{ a { b'",
      { kickoff: "@a \\${{ a { b" },
      ["CHANGED"],
    ],
  ])("%s", (...[, lines, wanted, codes]) => {
    const { definition, codes: found } = load(file("{ model: p/m }", lines));
    expect(found).toEqual(codes);
    const keys = Object.keys(wanted);
    expect(Object.fromEntries(keys.map((key) => [key, Reflect.get(definition, key)]))).toEqual(
      wanted,
    );
  });

  test("the agent of a chat is the only one, and shares nothing", () => {
    const { definition, codes } = load(
      "harnessTypeId: single-agent-chat\nagent: { name: helper, runtime: codex, cwd: . }\n",
    );
    expect(codes).toEqual([]);
    expect(definition.agents).toMatchObject([{ id: "helper", backend: "codex" }]);
    expect(definition.context).toBeUndefined();
  });

  test("of what an agent may do without asking, the stricter counts", () => {
    const own = "{ runtime: codex, policy: { fullAuto: false } }";
    const { definition } = load(file(own, "policy: { permissionMode: bypassPermissions }"));
    expect(definition.agents?.[0]?.permissionMode).toBe("ask");
  });

  test("env of the file goes to every agent, whose own wins; secrets are variables here", () => {
    const { definition } = load(
      "env: { A: 1, B: '${{ secrets.KEY }}' }\nagents: { a: { model: p/m, env: { A: 2 } }, b: { model: p/m } }\n",
    );
    expect(definition.agents?.map(({ env }) => env)).toEqual([
      { A: "2", B: "${{ env.KEY }}" },
      { A: "1", B: "${{ env.KEY }}" },
    ]);
  });

  test("what setup does is told to happen elsewhere when troupe is started elsewhere", () => {
    const text = file("{ model: p/m }", "setup: [{ shell: ls }]");
    expect(load(text, { ...options, cwd: "/elsewhere" }).codes).toEqual(["CHANGED"]);
    expect(load(text, { ...options, cwd: SOURCES }).codes).toEqual([]);
  });
});

describe("a file is told by keys that only agent-worker has [WF-9.agent-worker]", () => {
  const { importFrom: _, ...undecided } = options;
  test.each([
    ["{ runtime: codex }", "", "agents.a.runtime"],
    ["{ backend: mock }", "", "agents.a.backend"],
    ["{ model: p/m, max_steps: 3 }", "", "agents.a.max_steps"],
    ["{ model: p/m }", "context: { provider: file }", "context.provider"],
    ["{ model: p/m }", "params: [{ name: x }]", "params"],
    ["{ model: p/m }", "channels: [general]", "channels"],
    ["{ model: p/m }", "storage: memory", "storage"],
  ])("%s %s", (agent, lines, place) => {
    const { problems, imported } = load(file(agent, lines), undecided);
    expect(imported?.from).toBe("agent-worker");
    const first = problems.find(({ code }) => code === "WORKFLOW_IMPORTED");
    expect(first).toMatchObject({ severity: "warning" });
    expect(first?.message).toContain(`as ${place} shows`);
    expect(first?.hint).toContain("troupe convert flow.yaml --from agent-worker");
  });

  test.each([
    ["what both have", "{ model: p/m, system_prompt: x }", "kickoff: '@a'"],
    ["a file with a pattern", "{ runtime: x }", "pattern: dag"],
    ["a template", "{ runtime: x }", "template: code-review"],
    ["options", "{ runtime: x }", "options: { quiet: 1s }"],
    ["a budget", "{ runtime: x }", "budget: { tokens: 5 }"],
    ["an agent of troupe", "{ max_steps: 3, onCrash: fail }", ""],
    ["a shared document of troupe", "{ runtime: x }", "context: { document: }"],
  ])("but not with keys of troupe: %s", (_name, agent, lines) => {
    const { imported, codes } = load(file(agent, lines), undecided);
    expect(imported).toBeUndefined();
    expect(codes).not.toContain("WORKFLOW_IMPORTED");
  });
});

const sources = readdirSync(SOURCES).filter((name) => /\.ya?ml$/.test(name));

test.each(sources)(
  "%s converts to a file of troupe that means the same, and says what is missing [WF-9.convert]",
  async (name) => {
    const text = readFileSync(join(SOURCES, name), "utf8");
    const loaded = parseWorkflow(text, name, options);
    if (loaded.imported === undefined) throw new Error(`${name} was not read`);
    const printed = printImported(loaded.imported, name);
    await expect(printed).toMatchFileSnapshot(`../golden/agent-worker/${basename(name)}`);
    expect(printed).not.toContain("sk-not-to-be-repeated");
    const { importFrom: _, ...native } = options;
    const again = parseWorkflow(printed, name, native);
    expect(again.imported).toBeUndefined();
    // What is missing keeps the new file from running too, until somebody has dealt with it.
    expect(again.definition).toEqual(loaded.definition);
  },
);

test("a hostile file with endless variables and names is read in time, and its errors are not lost [WF-9.agent-worker, WF-3]", () => {
  const many = "${{ no }} ".repeat(60_000);
  const more = `bridges: [{ adapter: x }]\nkickoff: "@a ${many}"`;
  const { codes, definition, problems } = load(file("{ model: p/m }", more));
  expect(codes.slice(0, 1)).toEqual(["REFUSED"]);
  expect(problems.length).toBe(100);
  expect(definition.kickoff).toBeUndefined();
  const names = (count: number, value: string) =>
    Array.from({ length: count }, (_, index) => `  k${index}: ${value}\n`).join("");
  const wide = `env:\n${names(1000, "x")}agents:\n${names(1000, "{}")}`;
  expect(load(wide).problems.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("more than 30000 values"),
  );
});

test("what a file says is one printable line in the comments of the new one [WF-9.convert]", () => {
  const text = 'agents:\n  a: { model: p/m, "evil\\n\\u001b[31mkey": 1 }\n';
  const { imported } = load(text);
  if (imported === undefined) throw new Error("it was not read");
  const printed = printImported(imported, "f\nevil: 1\u001b[0m");
  expect(printed).not.toContain("\u001b");
  expect(printed).not.toMatch(/^evil/m);
  expect(printed).toContain("# note: agents.a.evil key is left out");
});
