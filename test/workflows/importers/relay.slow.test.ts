import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { printImported } from "../../../src/workflows/importers/print-imported.ts";
import { type ParseOptions, parseWorkflow } from "../../../src/workflows/parse-workflow.ts";
import { toValue } from "../../../src/workflows/source/source-node.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";
import { loadOptions } from "../load-options.ts";

const SOURCES = join(import.meta.dirname, "relay");
const options: ParseOptions = { ...loadOptions, projectRoot: SOURCES, fileDirectory: SOURCES };
const sources = readdirSync(SOURCES).filter((name) => name.endsWith(".yaml"));

function load(text: string, given: ParseOptions = options) {
  const loaded = parseWorkflow(text, "flow.yaml", given);
  const { definition, problems, imported } = loaded;
  const codes = problems
    .map(({ code }) => code.replace("WORKFLOW_IMPORT_", ""))
    .filter((code) => code !== "WORKFLOW_IMPORTED");
  const content = imported === undefined ? undefined : toValue(imported.root);
  const pattern = definition?.shape === "pattern" ? definition : undefined;
  return { ...loaded, definition: pattern, codes, content };
}

/** A file with one agent and one step, which have these further members. */
function file({ agent = "", step = "", top = "" }): string {
  return `${top}
swarm: { pattern: dag }
agents: [{ name: a, cli: claude${agent} }]
workflows: [{ name: w, steps: [{ name: s, agent: a, task: go${step} }] }]
`;
}

function only(text: string) {
  const { definition, codes, problems } = load(text);
  const { steps: [step] = [], agents: [agent] = [] } = definition ?? emptyDefinition();
  return { step, agent, codes, problems };
}

function emptyDefinition(): Partial<PatternDefinition> {
  return {};
}

test.each(sources)(
  "%s becomes a file of troupe that means the same, and says what is missing [WF-9.relay]",
  async (name) => {
    const text = readFileSync(join(SOURCES, name), "utf8");
    const loaded = parseWorkflow(text, name, options);
    if (loaded.imported === undefined) throw new Error(`${name} was not read`);
    const printed = printImported(loaded.imported, name);
    await expect(printed).toMatchFileSnapshot(`../golden/relay/${basename(name)}`);
    const again = parseWorkflow(printed, name, options);
    expect(again.imported).toBeUndefined();
    expect(again.definition).toEqual(loaded.definition);
    expect(loaded.definition === undefined).toBe(name === "refused.yaml");
  },
);

test("a key that is spelled as elsewhere is refused where it stands, with the word to write: it may order or bound the work [WF-9.relay]", () => {
  const { problems } = load(
    "swarm: { pattern: dag, max_concurrency: 2 }\nagents: [{ name: a, cli: claude, workDir: lib }]\nworkflows:\n  - name: w\n    on-error: fail\n    steps:\n      - { name: s, agent: a, task: go, timeout_ms: 5, colour: red }\n      - { name: t, agent: a, task: go, depends_on: [s] }\n",
  );
  const refused = problems.filter(({ severity }) => severity === "error");
  expect(refused.map(({ line, column, hint }) => `${line}:${column} ${hint}`)).toEqual([
    "1:24 write maxConcurrency",
    "2:34 write workdir",
    "5:5 write onError",
    "7:40 write timeoutMs",
    "8:40 write dependsOn",
  ]);
  expect(problems.find(({ message }) => message.includes("colour"))?.severity).toBe("warning");
});

test("a file without steps and agents is told so at its workflows [WF-9.relay]", () => {
  const { problems } = load("swarm: { pattern: dag }\nagents: []\nworkflows: []\n");
  expect(problems).toContainEqual(
    expect.objectContaining({
      ...{ code: "WORKFLOW_IMPORT_REFUSED", line: 3, column: 1 },
      message: "workflows cannot be carried over: there are no steps and no agents",
    }),
  );
});

describe("a key of an agent is carried over [WF-9.relay]", () => {
  test.each([
    ["cli with a model", ", cli: 'claude:opus'", { backend: "claude", model: "opus" }],
    ["constraints.model", ", constraints: { model: opus }", { model: "opus" }],
    ["constraints.maxTokens", ", constraints: { maxTokens: 5 }", { budget: { tokens: 5 } }],
    ["a role of troupe", ", role: reviewer", { role: "reviewer" }],
    ["any other role", ", role: Thinks", { settings: { systemPrompt: "Your role: Thinks" } }],
    ["preset", ", preset: analyst", { role: "worker" }],
    ["skills", ", skills: [sql, css]", { settings: { systemPrompt: "sql\n\ncss" } }],
    ["interactive: false", ", interactive: false", {}],
    ["permissions: readwrite", ", permissions: readwrite", {}],
    ["permissions: full", ", permissions: { access: full, inherit: true }", {}],
    ["permissions: readonly", ", permissions: readonly", { constraints: { readOnly: ["**"] } }],
    [
      "files to write only",
      ", permissions: { access: readonly, files: { read: [a], write: [b] } }",
      { constraints: { fileScope: { include: ["b"] } } },
    ],
    ["network: true", ", permissions: { network: true }", {}],
    ["a key of troupe", ", permissionMode: plan", { permissionMode: "plan" }],
  ])("%s", (_, agent, wanted) => {
    const text = file({ agent }).replace(/cli: claude, cli/, "cli");
    const { agent: found, codes } = only(text);
    expect({ found, codes }).toEqual({ found: expect.objectContaining(wanted), codes: [] });
  });
});

describe("what could do more than the file says is an error at its place [WF-9.relay, ECO-8.relay]", () => {
  test.each([
    ["agent", "permissions: restricted"],
    ["agent", "permissions: { access: other }"],
    ["agent", "permissions: { files: { deny: [.env] } }"],
    ["agent", "permissions: { network: false }"],
    ["agent", "permissions: { network: { allow: ['x:443'] } }"],
    ["agent", "permissions: { exec: [ls] }"],
    ["agent", "permissions: { profile: nobody }"],
    ["agent", "permissions: { teapot: 1 }"],
    ["agent", "tools: [Read]"],
    ["agent", "disallowedTools: [Bash]"],
    ["agent", "sandbox: read-only"],
    ["agent", "workdir: nowhere"],
    ["agent", "maxTurns: 3"],
    ["agent", "timeoutMs: 50"],
    ["agent", "constraints: { allowedTools: [Read] }"],
    ["agent", "constraints: { maxCost: 2 }"],
    ["agent", "'<<': { permissions: readonly }"],
    ["step", "type: worktree"],
    ["step", "type: integration"],
    ["step", "use: mine"],
    ["step", "cwd: lib"],
    ["step", "if: never"],
    ["step", "maxTokens: 10"],
    ["step", "verification: { type: teapot, value: x }"],
    ["step", "verification: { type: file_exists }"],
  ] as const)("%s: %s", (where, member) => {
    const text = file({ [where]: `, ${member}` });
    const { codes, problems } = only(text);
    expect(codes).toEqual(["REFUSED"]);
    const [, first] = problems;
    const line = where === "agent" ? 3 : 4;
    expect(first).toMatchObject({ severity: "error", line });
    const written = text.split("\n")[line - 1] ?? "";
    expect(first?.column).toBeGreaterThan(written.indexOf(member.split(":")[0] ?? ""));
  });

  test.each(["errorHandling: { strategy: teapot }", "preflight: [{ command: x, failIf: '^x' }]"])(
    "%s",
    (top) => {
      expect(load(file({ top })).codes).toEqual(["REFUSED"]);
    },
  );
});

test.each([
  ["timeoutMs: 5000"],
  ["maxConcurrency: 1"],
  ["x: 1\nswarm: { pattern: dag, maxCost: 3 }"],
])("a bound of the whole file that is not known is an error: %s [ECO-8.relay]", (top) => {
  const rest = "agents: []\nworkflows: [{ steps: [{ name: s, command: echo }] }]";
  const swarm = top.includes("swarm") ? "" : "swarm: { pattern: dag }\n";
  const { codes, definition } = load(`name: n\n${top}\n${swarm}${rest}`);
  expect(codes).toContain("REFUSED");
  expect(definition).toBeUndefined();
});

test.each([
  [".agentignore", ""],
  [".agentreadonly", ""],
  [".a.agentignore", ""],
  [".agentignore", ".relay"],
  [".agentreadonly", ".relay/workflows"],
])(
  "%s of the project is an error for a file in %j, also when it is converted [ECO-8.relay]",
  (...[name, folder]) => {
    const root = temporaryDirectory();
    const directory = join(root, folder);
    mkdirSync(directory, { recursive: true });
    const given = { ...options, projectRoot: root, fileDirectory: directory };
    const text = file({});
    expect(load(text, given).definition).toBeDefined();
    writeFileSync(join(root, name), "secret.txt\n");
    const { definition, problems, imported } = load(text, given);
    expect(definition).toBeUndefined();
    const errors = problems.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code }) => code)).toEqual(["WORKFLOW_IMPORT_REFUSED"]);
    expect(errors[0]?.message).toContain(name);
    if (imported === undefined) throw new Error("it was not read");
    expect(load(printImported(imported, "flow.yaml"), given).definition).toBeUndefined();
  },
);

describe("what changes nothing is left out with a note [WF-9.relay]", () => {
  test.each([
    ["agent", "interactive: true"],
    ["agent", "additionalPaths: [../x]"],
    ["agent", "credentials: { proxy: true }"],
    ["agent", "runtime: acp"],
    ["agent", "made_up: 1"],
    ["agent", "permissions: { scopes: [x] }"],
    ["agent", "constraints: { idleThresholdSecs: 3 }"],
    ["step", "captureOutput: false"],
    ["step", "made_up: 1"],
    ["step", "failOnError: true"],
    ["step", "verification: { type: exit_code, value: '1' }"],
    ["step", "retries: 1, maxIterations: 3"],
    ["top", "state: { backend: redis }"],
    ["top", "trajectories: { autoDecisions: true }"],
    ["top", "trajectory: { reflectOnBarriers: true }"],
    ["top", "reflection: { enabled: true, made_up: 1 }"],
    ["top", "made_up: 1"],
    ["top", "errorHandling: { repairAgent: a }"],
    ["top", "coordination: { votingThreshold: 1 }"],
    ["top", "coordination: { barriers: [{ name: b, waitFor: [] }] }"],
    ["top", "version: '2.0'"],
  ] as const)("%s: %s", (where, member) => {
    const text = file({ [where]: where === "top" ? member : `, ${member}` });
    const { codes, definition } = load(text);
    expect(codes).toEqual(["LEFT_OUT"]);
    expect(definition).toBeDefined();
  });
});

describe("a step is carried over [WF-9.relay]", () => {
  const said = (pattern: string) => ({ kind: "outputMatches", pattern, in: "text" });
  test.each([
    ["verification: { type: output_contains, value: 'A.B (c)' }", [said("A\\.B \\(c\\)")]],
    ["verification: { type: file_exists, value: 'a/{{b}}' }", [{ kind: "fileExists" }]],
    ["verification: { type: exit_code }", []],
    ["verification: { type: custom, value: 'test -f x' }", [{ kind: "command" }]],
    ["verification: { type: custom, value: 'regex:^x' }", [said("^x")]],
    ["verification: [{ type: output_contains, value: x }, { type: exit_code }]", [said("x")]],
  ])("%s", (member, verify) => {
    const { step, codes } = only(file({ step: `, ${member}` }));
    expect({ verify: step?.verify, expects: step?.expects, codes }).toEqual({
      verify: verify.map((check) => expect.objectContaining(check)),
      expects: "none",
      codes: [],
    });
  });

  test("times, tries and what they default to", () => {
    const constraints = ", constraints: { timeoutMs: 5000, retries: 2 }";
    const top = "errorHandling: { maxRetries: 4, retryDelayMs: 30 }";
    const found = [
      file({ top }),
      file({ agent: constraints, top }),
      file({ agent: constraints, step: ", timeoutMs: 7000, retries: 0", top }),
      file({ step: ", timeout: 1m, maxIterations: 3", top }),
    ].map((text) => only(text).step);
    expect(found.map((step) => [step?.maxAttempts, step?.timeoutMs, step?.retryDelayMs])).toEqual([
      [5, undefined, 30],
      [3, 5000, 30],
      [1, 7000, 30],
      [3, 60_000, 30],
    ]);
  });

  test.each([
    ["fail", "abort"],
    ["skip", "continue"],
    ["retry", "continue"],
  ])("onError: %s is onFailure: %s", (onError, onFailure) => {
    const text = file({}).replace("name: w,", `name: w, onError: ${onError},`);
    expect(load(text).definition?.onFailure).toBe(onFailure);
  });
});

describe("the steps of a file are ordered as it says [WF-9.relay]", () => {
  const steps = (...items: readonly string[]) =>
    `agents: [{ name: a, cli: claude }]\nworkflows: [{ steps: [${items.join(", ")}] }]`;
  const after = "{ name: y, agent: a, task: t, dependsOn: [x] }";
  const first = "{ name: x, agent: a, task: t }";
  test.each([
    ["swarm: { pattern: fan-out }", [first], "fan-out", []],
    ["swarm: { pattern: fan-out }", [first, after], "fan-out", []],
    ["swarm: { pattern: pipeline }", [first, after], "pipeline", []],
    ["swarm: { pattern: pipeline }", [after, first], "dag", ["CHANGED"]],
    ["swarm: { pattern: supervisor }", [first], "dag", ["CHANGED"]],
    ["swarm: { pattern: mesh }", [first], "mesh", []],
    ["swarm: { pattern: teapot }", [first], "teapot", ["WORKFLOW_VALUE"]],
    ["swarm: { maxConcurrency: 1 }", [first, after], "dag", ["CHANGED"]],
  ])("%s of %j is %s", (...[swarm, items, pattern, codes]) => {
    const { content, ...loaded } = load(`name: n\n${swarm}\n${steps(...items)}`);
    expect(content).toMatchObject({ pattern });
    expect(loaded.codes).toEqual(codes);
  });

  test("whoever uses the output of a step waits for it, and a circle is none of this", () => {
    const use = "{ name: y, agent: a, task: 'of {{steps.x.output}}' }";
    const { definition, codes } = load(`name: n\nswarm: { pattern: dag }\n${steps(first, use)}`);
    expect(definition?.steps[1]?.dependsOn).toEqual(["x"]);
    expect(codes).toEqual(["CHANGED"]);
  });
});

test("variables that nothing declares are params, and braces that are no variables stay text [WF-9.relay]", async () => {
  const command = `printf '%s|' '{{a-b}}' '{{user.name}}' '{{ spaced }}' '{{.Id}}' '\${{ x.y }}' "{{{z}}}"`;
  const text = `name: n
swarm: { pattern: dag }
agents: []
workflows: [{ steps: [{ name: s, command: ${JSON.stringify(command)} }] }]`;
  const { definition } = load(text);
  if (definition === undefined) throw new Error("it is not valid");
  expect(Object.keys(definition.params)).toEqual(["a-b", "user-name"]);
  const params = { "a-b": "1", "user-name": "2" };
  const run = await runWorkflowInMemory(definition, { params });
  expect(run.result?.output).toBe("1|2|{{ spaced }}|{{.Id}}|${{ x.y }}|{{{z}}}|");
});

test("a file of commands runs as it is [WF-9.relay, PAT-command]", async () => {
  const { definition } = load(readFileSync(join(SOURCES, "commands.yaml"), "utf8"));
  if (definition === undefined) throw new Error("it is not valid");
  const run = await runWorkflowInMemory(definition, { params: { who: "$(x) '" }, task: "!" });
  expect(run.outcome).toBe("completed");
  expect(run.all("step-completed").map(({ output }) => output)).toEqual([
    "hello\n$(x) '",
    "<hello>",
    "<hello>!",
  ]);
});

test("what a check looks for may stand anywhere in what the agent says, not in what it was told [WF-9.relay]", async () => {
  const { definition } = load(readFileSync(join(SOURCES, "review-loop.yaml"), "utf8"));
  if (definition === undefined) throw new Error("it is not valid");
  const agents = definition.agents.map((agent) => ({ ...agent, backend: "script" }));
  const run = await runWorkflowInMemory(
    { ...definition, agents },
    {
      task: "say IT IS MADE",
      turns: {
        maker: [{ say: "well, IT IS MADE, all of it\nDONE: made" }, { say: "mended" }],
        critic: [{ say: "my REVIEW:PASS" }],
      },
    },
  );
  expect(run.all("step-completed").map(({ step, output }) => [step, output])).toEqual([
    ["make", "made"],
    ["judge", "my REVIEW:PASS"],
    ["mend", "mended"],
  ]);
});

describe("a relay.yaml [WF-16]", () => {
  const workflow = `version: "1.0"
name: ship
swarm: { pattern: pipeline }
agents: [{ name: lead, cli: claude }, { name: dev, cli: claude, made_up: 1 }]
workflows: [{ steps: [{ name: plan, agent: lead, task: x }, { name: build, agent: dev, task: y }] }]
`;
  const own = `name: own\npattern: dag\nagents: [{ id: dev, cli: claude, command: x }]\nsteps: [{ id: s, prompt: p }]`;

  function relay(text: string, files: { readonly [path: string]: string }) {
    const root = temporaryDirectory();
    mkdirSync(join(root, ".relay/workflows"), { recursive: true });
    for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content);
    return load(text, { ...options, projectRoot: root, fileDirectory: join(root, ".relay") });
  }

  test("names its workflow and gives agents other programs", () => {
    const text = "# main\nswarm:\n  workflow: ship\n  agents: { dev: codex }\n";
    const { definition, problems } = relay(text, { ".relay/workflows/ship.yaml": workflow });
    expect(definition).toMatchObject({
      name: "ship",
      pattern: "pipeline",
      agents: [{ backend: "claude" }, { backend: "codex" }],
    });
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ["WORKFLOW_IMPORTED", 2],
      ["WORKFLOW_IMPORT_LEFT_OUT", 3],
    ]);
  });

  test.each([
    ["swarm: { workflow: missing }", "cannot be read: there is no such file"],
    ["swarm: { workflow: ../../x }", "cannot be read: there is no such file"],
    ["swarm: { workflow: broken }", "cannot be read"],
    ["swarm: { workflow: ship, agents: { nobody: codex } }", "the workflow has no such agent"],
    ["swarm: { workflow: own }", "has command, which belongs to backend: command"],
  ])("%s is told at its line", (text, message) => {
    const { definition, problems } = relay(text, {
      "x.yaml": workflow,
      ".relay/workflows/ship.yaml": workflow,
      ".relay/workflows/broken.yaml": "swarm: [",
      ".relay/workflows/own.yaml": own,
    });
    expect(definition).toBeUndefined();
    const errors = problems.filter(({ severity }) => severity === "error");
    expect(errors.map((error) => error.message).join("\n")).toContain(message);
    expect(errors[0]).toMatchObject({ line: 1 });
  });

  test("holds it", () => {
    const text = `swarm:
  pattern: dag
  agents: [{ id: lead, role: lead, cli: claude }, { id: dev, cli: codex, reportsTo: lead }]
  workflow:
    steps:
      - { id: plan, agent: lead, prompt: "{{task}}", expects: PLAN_COMPLETE }
      - { id: code, agent: dev, dependsOn: [plan], prompt: "{{steps.plan.output}}" }
  reflection: { enabled: true, threshold: 10 }
  trajectory: { enabled: true }
`;
    const { definition, codes } = load(text);
    expect(definition).toMatchObject({
      pattern: "dag",
      agents: [
        { id: "lead", role: "lead" },
        { id: "dev", reportsTo: "lead" },
      ],
      steps: [{ expects: "PLAN_COMPLETE" }, { dependsOn: ["plan"] }],
    });
    expect(definition).toMatchObject({ trajectory: { agentName: "workflow-orchestrator" } });
    expect(definition).toMatchObject({ reflection: { threshold: 50 } });
    expect(codes).toEqual(["CHANGED"]);
  });
});

test.each([
  ["trajectories: { enabled: true, agentName: ann }", "ann"],
  ["trajectories: true", undefined],
  ["trajectories: false", undefined],
  ["trajectory: { enabled: false }", undefined],
])("%s means what a workflow of troupe says of trajectories [WF-9.relay, TRJ-5]", (line, name) => {
  const { definition, codes } = load(file({ top: line }));
  expect(definition?.trajectory?.agentName).toBe(name);
  expect(codes).toEqual(line === "trajectories: true" ? ["WORKFLOW_TYPE"] : []);
});

test("a file of troupe is none of relay, whatever else it says [WF-9.relay]", () => {
  const { imported, codes } = load("name: x\npattern: dag\nswarm: {}\nagents: [{ id: a }]");
  expect(imported).toBeUndefined();
  expect(codes).toEqual(["WORKFLOW_NOT_SUPPORTED"]);
});
