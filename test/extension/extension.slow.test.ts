import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { takesAll } from "../cases.ts";
import { type CopiedCheckout, copyCheckout } from "./copied-checkout.ts";

// The types of the whole tree are compiled twice before.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PATTERN = `
import { definePattern } from "../../contracts/ports/pattern.ts";
import { runSteps } from "../primitives/run-steps.ts";

/** One after another; the first one has the result. */
export const firstWordPattern = definePattern({
  name: "first-word",
  summary: "One after another, and what the first one says counts",
  onFailure: "abort",
  order: "list",
  results: ({ steps }) => steps.slice(0, 1).map(({ id }) => id),
  run: (context, definition) =>
    runSteps(context, definition, {
      results: ({ steps }) => steps.slice(0, 1).map(({ id }) => id),
      dependsOn: (step) => step.dependsOn,
      convention: () => "",
      metadata: () => ({}),
    }),
});
`;

const STEP_TYPE = `
import { z } from "zod";
import type { StepType } from "../../contracts/ports/step-type.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({ louder: z.string().min(1).describe("A text with variables.") });

/** Says a text in capitals. */
export const shoutStep = {
  ...PLAIN_STEP,
  name: "shout",
  summary: "Says a text in capitals",
  settings,
  routes: ["when_quiet"],
  templates: ["louder"],
  run: async ({ scope, settings: { louder } }) => ({ data: scope.text(louder).toUpperCase() }),
} as const satisfies StepType<z.infer<typeof settings>>;
`;

/** A workflow in TypeScript with a step of that type. */
const SHOUTING = `
import { workflow } from "./src/index.ts";

export const shouting = workflow("own").steps({
  loud: { type: "shout", louder: "{{input}}!", whenQuiet: "all" },
  all: { type: "loop", times: 2, steps: { inside: { type: "shout", louder: "again" } } },
});
`;

const COMMAND = `
import { type ActionOf, declareCommand } from "../command/command.ts";

/** \`troupe greet\` */
export const greetCommand = declareCommand({
  name: "greet",
  group: "System",
  authority: "reads",
  summary: "say good day",
  arguments: [{ name: "<name>", about: "whom" }],
  options: [
    { flags: "--twice", about: "say it twice" },
    { flags: "--tongue <language>", about: "in which language", choices: ["en", "de"] },
  ],
});

/** Says it. */
export const greetAction: ActionOf<typeof greetCommand> = async ({ args: [name], options, io }) => {
  const { twice, tongue = "en" } = options;
  const word: "en" | "de" = tongue;
  const text = word === "de" ? "guten Tag" : "good day";
  io.stdout.write(\`\${text} \${name}\\n\`.repeat(twice ? 2 : 1));
  return 0;
};
`;

const BACKEND = `
import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";

const PARROT: ProgramDescriptor = {
  name: "parrot",
  program: { file: "parrot", install: "hatch one", signIn: "set PARROT_KEY" },
  obeys: [".parrot"],
  refuses: { names: ["squawk"] },
};

/** The backend of parrot. */
export const parrotBackend = {
  ...PARROT,
  load: async () => (
    parts: { readonly host: ProcessHost; readonly clock: Clock },
    own: OwnSettings,
  ): AgentBackend =>
    createAcpProgramBackend(PARROT, { ...parts, own }, {
      passes: ["PARROT_KEY"],
      notSignedIn: { message: "parrot is not signed in", hint: "set PARROT_KEY" },
      needsNoSignIn: () => true,
      signIn: () => ({ by: "nothing" }),
      account: () => "parrot",
      load: async () => ({
        protocol: ["--acp"],
        terminal: () => [],
        prepare: async ({ request: { env } }) => ({ env }),
      }),
    }),
};
`;

/** A program that speaks the Agent Client Protocol and says what it is called with. */
const PARROT_PROGRAM = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  if (method === "session/new") send({ id, result: { sessionId: "s" } });
  if (method === "session/prompt") {
    const content = { type: "text", text: "DONE: Polly " + process.argv[2] };
    const update = { sessionUpdate: "agent_message_chunk", content };
    send({ method: "session/update", params: { sessionId: "s", update } });
    send({ id, result: { stopReason: "end_turn" } });
  }
});
`;

const SHAPE = `
import { z } from "zod";
import { agentSpecSchema } from "../../../agents/agent-spec-schema.ts";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { Budget } from "../../../contracts/budget.ts";
import type { ParamSpec } from "../../../contracts/definition.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import { toJson } from "../../../foundation/json.ts";
import { checkAgents } from "../../../workflows/checks/check-agents.ts";
import { viewFile } from "../../../workflows/checks/file-view.ts";
import { agentOrigins } from "../../../workflows/resolve/resolve-shadows.ts";
import type { FileShape } from "../../../workflows/resolve/file-shape.ts";
import { resolveAgents } from "../../../workflows/resolve/resolve-agent.ts";
import { agentsSchema, writtenAgentsSchema } from "../../../workflows/schema/agent-schema.ts";
import { editorSchema } from "../../../workflows/schema/steps-json-schema.ts";
import { schemaProblems } from "../../../workflows/schema/schema-problems.ts";
import { toValue } from "../../../workflows/source/source-node.ts";
import type { WorkflowShape } from "./shape.ts";

/** A workflow whose agents hand a text on. */
export interface RelayDefinition {
  readonly format: 1;
  readonly shape: "relay";
  readonly name: string;
  readonly description?: string;
  readonly params: { readonly [name: string]: ParamSpec };
  readonly agents: readonly AgentSpec[];
  readonly baton: string;
  readonly timeoutMs?: number;
  readonly budget?: Budget;
  readonly channel: string;
}

declare module "../../../contracts/definition.ts" {
  interface WorkflowDefinitions {
    readonly relay: RelayDefinition;
  }
}

const file = z.strictObject({
  name: z.string(),
  baton: z.string().describe("What the first agent is told."),
  agents: writtenAgentsSchema,
});

const relayProgram: Program<RelayDefinition> = {
  name: "relay",
  run: async (context, { agents, baton }) => {
    let text = baton;
    for (const spec of agents) {
      const agent = await context.spawn(spec);
      text = (await context.turn(agent.id, text, { expects: "none" })).text;
    }
    return { outcome: "completed", reason: "handed on", metadata: {}, output: text };
  },
};

/** Their files. */
export const relayFile: FileShape = {
  read: ({ root, text, options, report, isOk }) => {
    const checked = file.extend({ agents: agentsSchema(options.scriptSchema) });
    for (const { error, range } of schemaProblems(checked, root)) report(error, range);
    checkAgents({ view: viewFile(root), text, pattern: undefined, order: undefined, options, report });
    if (!isOk()) return undefined;
    const { name, baton, agents } = file.parse(toValue(root));
    const definition: RelayDefinition = {
      ...{ format: 1, shape: "relay", name, baton, params: {}, channel: "main" },
      agents: resolveAgents({ agents }, options),
    };
    return { definition, backendOrigins: agentOrigins({ agents }, options) };
  },
  loadEditors: async () => ({
    when: { required: ["baton"] },
    schema: () => editorSchema(file, "Relay workflow"),
  }),
};

/** Agents that hand a text on, each what it makes of it. */
export const relayShape: WorkflowShape<RelayDefinition> = {
  schema: () =>
    z.object({
      ...{ format: z.literal(1), shape: z.literal("relay"), name: z.string(), baton: z.string() },
      ...{ params: z.object({}), agents: z.array(agentSpecSchema), channel: z.string() },
    }),
  label: () => "relay",
  program: async () => relayProgram,
  programNamed: async (name) => (name === relayProgram.name ? relayProgram : undefined),
  complete: (definition) => definition,
  setup: ({ channel }) => ({
    ...{ mainChannel: channel, markers: [], stepTotal: 0, stepBudgets: new Map() },
    ...{ isMessageDriven: false, isExclusive: false, announces: "none" },
    shares: { channel: true, document: true },
  }),
  resultOf: async () => (_state, returned) => toJson({ output: returned?.output ?? "" }, "it"),
  steps: () => [],
  ordered: () => [],
  takesInput: false,
  inputErrors: async () => [],
  inputWarnings: async () => [],
  withMaxConcurrency: (definition) => definition,
  graph: async ({ agents }) => ({
    nodes: agents.map(({ id }) => ({ id, kind: "agent", label: id })),
    edges: [],
  }),
  settings: () => [],
  limits: async () => ({ maxConcurrency: null, onFailure: null }),
  commands: () => [],
  plan: { kind: "rehearsed", rehearsed: (all) => all, standInOf: async () => ({ agent }) => agent },
};
`;

const TOOL = `
import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";

/** Tells an agent its name. */
export const whoAmI = defineTool({
  name: "who_am_i",
  title: "Who am I",
  description: "Tells you your name, loud or not.",
  annotations: READS,
  input: z.strictObject({ loud: z.boolean() }),
  call: async ({ loud }, { agent }) => ({ name: loud ? agent.toUpperCase() : agent }),
});
`;

const CAT = "{ id: cat, backend: command, command: [cat] }";

let copy: CopiedCheckout;
/** What the compiler says of the copy with all that is added, and of what uses it wrongly. */
let told: { readonly ofAll: string; readonly ofWrong: string };

/** Adds each of them as one file and one line. */
beforeAll(() => {
  if (!takesAll()) return;
  copy = copyCheckout();
  addPattern();
  addStepType();
  addCommand();
  addBackend();
  addShape();
  addTool();
  copy.add("shouting.ts", SHOUTING);
  copy.add("lauder.ts", SHOUTING.replace("louder:", "lauder:"));
  copy.add("al.ts", SHOUTING.replace('whenQuiet: "all"', 'whenQuiet: "al"'));
  const greet = COMMAND.replace("{ twice, tongue", "{ thrice, tongue");
  const wrong = ["src/cli/commands/thrice.ts", "lauder.ts", "al.ts"];
  copy.add("src/cli/commands/thrice.ts", greet.replace('word === "de"', 'tongue === "fr"'));
  const all = ["src/main.ts", "src/index.ts", "scripts/write-schemas.ts", "shouting.ts"];
  told = { ofAll: copy.typecheck(...all), ofWrong: copy.typecheck(...wrong) };
  copy.writeSchemas();
});
afterAll(() => {
  if (takesAll()) copy.remove();
});
beforeEach((context) => {
  context.skip(!takesAll(), "only in npm run prove");
  copy.beginProject();
});

function addPattern(): void {
  copy.add("src/programs/patterns/first-word.ts", PATTERN);
  const load = 'async () => (await import("./first-word.ts")).firstWordPattern';
  const line = `  { name: "first-word", onFailure: "abort", order: "list", load: ${load} },`;
  copy.list("src/programs/patterns/registry.ts", line);
}

function addStepType(): void {
  copy.add("src/programs/steps/shout-step.ts", STEP_TYPE);
  const load = 'async () => (await import("./shout-step.ts")).shoutStep';
  copy.list("src/programs/steps/registry.ts", `  { name: "shout", load: ${load} },`);
}

function addCommand(): void {
  copy.add("src/cli/commands/greet.ts", COMMAND);
  const module = '() => import("./commands/greet.ts")';
  copy.list("src/cli/registry.ts", `  entry("greet", [${module}, ${module}]),`);
}

function addBackend(): void {
  copy.add("src/agents/backends/parrot/parrot-backend.ts", BACKEND);
  const place = { from: "./parrot/parrot-backend.ts", after: "createGooseBackend \\}" };
  copy.register("src/agents/backends/registry.ts", "parrotBackend", place);
}

function addShape(): void {
  copy.add("src/app/workflow/shapes/relay-shape.ts", SHAPE);
  const module = '(await import("./relay-shape.ts"))';
  const loads = `loadFile: async () => ${module}.relayFile, load: async () => ${module}.relayShape`;
  const line = `  { name: "relay", fits: (root) => root.entries.has("baton"), ${loads} },`;
  // Kickoff workflows are told by nothing that speaks for another shape, so they come last.
  copy.list("src/app/workflow/shapes/registry.ts", line, "kickoff");
}

function addTool(): void {
  copy.add("src/tools/who-am-i.ts", TOOL);
  const load = 'async () => (await import("./who-am-i.ts")).whoAmI';
  copy.list("src/tools/registry.ts", `  { name: "who_am_i", load: ${load} },`);
}

test("a pattern is one file and one line: types, validate, schema, plan, graph, run, report and the result know it", () => {
  expect(told.ofAll).toBe("");
  const steps =
    "steps: [{ id: one, agent: cat, prompt: eins }, { id: two, agent: cat, prompt: zwei }]";
  copy.write("own.yaml", `name: own\npattern: first-word\nagents: [${CAT}]\n${steps}\n`);
  expect(copy.troupe("validate", "own.yaml")).toMatchObject({ exitCode: 0, err: "" });
  expect(copy.troupe("plan", "own.yaml", "go").out).toContain("first-word");
  expect(copy.troupe("graph", "own.yaml").exitCode).toBe(0);
  const run = copy.troupe("run", "own.yaml", "go", "-q");
  expect(run).toMatchObject({ exitCode: 0, out: "eins\n" });
  expect(copy.troupe("report", "@last", "--output", "report.html")).toMatchObject({ exitCode: 0 });

  copy.write("wrong.yaml", `name: own\npattern: first-wird\nagents: [${CAT}]\n`);
  expect(copy.troupe("validate", "wrong.yaml").out).toContain('did you mean "first-word"?');
  expect(copy.troupe("schema", "workflow").out).toContain('"first-word"');
});

test("a step type is one file and one line: types, the builder, validate, schema and run know it", () => {
  expect(told.ofAll).toBe("");
  expect(told.ofWrong).toContain("'lauder' does not exist in type");
  expect(told.ofWrong).toContain('"al"');

  const step = 'steps: [{ id: loud, type: shout, louder: "{{input}}!" }]';
  copy.write("own.yaml", `id: own\n${step}\n`);
  expect(copy.troupe("validate", "own.yaml")).toMatchObject({ exitCode: 0, err: "" });
  expect(copy.troupe("run", "own.yaml", "hear me", "-q")).toMatchObject({
    exitCode: 0,
    out: "HEAR ME!\n",
  });
  copy.write("wrong.yaml", "id: own\nsteps: [{ id: loud, type: shout }]\n");
  expect(copy.troupe("validate", "wrong.yaml")).toMatchObject({ exitCode: 2 });
  expect(copy.troupe("schema", "workflow").out).toContain('"louder"');
});

test("a command is one file and one line: types, help, completion, suggestions and errors know it", () => {
  expect(told.ofAll).toBe("");
  expect(told.ofWrong).toContain("Property 'thrice' does not exist");
  expect(told.ofWrong).toContain("have no overlap");

  const greeted = copy.troupe("greet", "Ada", "--tongue", "de", "--twice");
  expect(greeted).toMatchObject({ exitCode: 0, out: "guten Tag Ada\nguten Tag Ada\n", err: "" });
  expect(copy.troupe("greet", "--help").out).toContain("in which language (choices: ");
  expect(copy.troupe("help").out).toContain("say good day");
  expect(copy.troupe("completion", "fish", "--", "greet", "--t").out).toContain("--tongue");
  const wrong = copy.troupe("greet", "Ada", "--tounge", "de");
  expect(wrong).toMatchObject({ exitCode: 2 });
  expect(wrong.err).toContain("--tongue");
});

test("a coding CLI over ACP is one file and one line: types, validate, run, trust and doctor know it", () => {
  expect(told.ofAll).toBe("");
  const { out: missing } = copy.troupe("doctor");
  expect(missing).toContain("install it: hatch one");
  copy.install("parrot", PARROT_PROGRAM);
  const steps = "steps: [{ id: one, agent: polly, prompt: go }]";
  const file2 = (more: string) =>
    `name: own\npattern: pipeline\nagents: [{ id: polly, backend: parrot${more} }]\n${steps}\n`;
  copy.write("own.yaml", file2(""));
  expect(copy.troupe("validate", "own.yaml")).toMatchObject({ exitCode: 0, err: "" });
  const run = copy.troupe("run", "own.yaml", "go", "-q");
  expect(run).toMatchObject({ exitCode: 0, out: "Polly --acp\n" });
  copy.write("refused.yaml", file2(", settings: { args: [--squawk] }"));
  expect(copy.troupe("validate", "refused.yaml").out).toContain("--squawk");
  copy.write("wrong.yaml", file2("").replace("backend: parrot", "backend: parot"));
  expect(copy.troupe("validate", "wrong.yaml").out).toContain('did you mean "parrot"?');
  copy.write(".parrot/hooks.json", "{}");
  expect(copy.troupe("trust", "--show").out).toContain(".parrot/hooks.json");
});

test("a workflow shape is one file and one line: types, validate, schema, plan, graph, run, report and convert know it", () => {
  expect(told.ofAll).toBe("");
  const tac = '{ id: shout, backend: command, command: [tr, "a-z", "A-Z"] }';
  copy.write("own.yaml", `name: own\nbaton: hear me\nagents: [${CAT}, ${tac}]\n`);
  expect(copy.troupe("validate", "own.yaml")).toMatchObject({ exitCode: 0, err: "" });
  expect(copy.troupe("plan", "own.yaml").out).toContain("relay");
  expect(copy.troupe("graph", "own.yaml").out).toContain("shout");
  const run = copy.troupe("run", "own.yaml", "-q");
  expect(run).toMatchObject({ exitCode: 0, out: "HEAR ME\n" });
  expect(copy.troupe("report", "@last", "--output", "report.html")).toMatchObject({ exitCode: 0 });
  expect(copy.troupe("convert", "own.yaml", "--to", "json").out).toContain('"baton": "hear me"');
  expect(copy.troupe("convert", "own.yaml", "--to", "ts").err).toContain("relay workflow");

  copy.write("wrong.yaml", "name: own\nbaton: 3\nagents: [{ id: a, backend: comand }]\n");
  const { out: wrong } = copy.troupe("validate", "wrong.yaml");
  expect(wrong).toContain("baton");
  expect(wrong).toContain('did you mean "command"?');
  expect(copy.troupe("schema", "workflow").out).toContain("What the first agent is told.");
});

test("a tool is one file and one line: types, validate, the offer and calls of agents know it", () => {
  expect(told.ofAll).toBe("");
  const calling = (name: string, given: string) =>
    `name: own\nkickoff: "@ada who are you?"\nagents:\n  ada:\n    backend: script\n    tools: [${name}]\n` +
    `    script:\n      - do: [{ call: { tool: who_am_i, arguments: ${given} } }]\n        say: told\n`;
  copy.write("own.yaml", calling("who_am_i", "{ loud: true }"));
  expect(copy.troupe("validate", "own.yaml")).toMatchObject({ exitCode: 0, err: "" });
  const run = copy.troupe("run", "own.yaml", "--json");
  expect(run).toMatchObject({ exitCode: 0 });
  expect(run.out).toContain("ADA");
  copy.write("wrong.yaml", calling("who_am_I", "{ loud: true }"));
  expect(copy.troupe("validate", "wrong.yaml").out).toContain('did you mean "who_am_i"?');
  copy.write("badly.yaml", calling("who_am_i", "{ loud: 1 }"));
  expect(copy.troupe("run", "badly.yaml", "--json").out).toContain("AGENT_TOOL_INPUT_INVALID");
  copy.write("other.yaml", calling("channel_send", "{ loud: true }"));
  expect(copy.troupe("run", "other.yaml", "--json").out).toContain("AGENT_TOOL_NOT_OFFERED");
});
