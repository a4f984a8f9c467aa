import { expect, test } from "vitest";
import { copyCheckout } from "./copied-checkout.ts";

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
import { withAction } from "../command/command.ts";

/** \`troupe greet\` */
export const greetCommand = withAction(
  {
    name: "greet",
    group: "System",
    authority: "reads",
    summary: "say good day",
    arguments: [{ name: "<name>", about: "whom" }],
    options: [
      { flags: "--twice", about: "say it twice" },
      { flags: "--tongue <language>", about: "in which language", choices: ["en", "de"] },
    ],
  },
  async () => async ({ args: [name], options, io }) => {
    const { twice, tongue = "en" } = options;
    const word: "en" | "de" = tongue;
    const text = word === "de" ? "guten Tag" : "good day";
    io.stdout.write(\`\${text} \${name}\\n\`.repeat(twice ? 2 : 1));
    return 0;
  },
);
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
  create: (
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

const CAT = "{ id: cat, backend: command, command: [cat] }";

test("a pattern is one file and one line: types, validate, schema, plan, graph, run, report and the result know it", () => {
  const copy = copyCheckout();
  const file = "src/programs/patterns/first-word.ts";
  copy.add(file, PATTERN);
  const registry = "src/programs/patterns/registry.ts";
  copy.register(registry, "firstWordPattern", { from: "./first-word.ts", after: "dagPattern" });
  expect(copy.typecheck(file, registry)).toBe("");

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
  copy.writeSchemas();
  expect(copy.troupe("schema", "workflow").out).toContain('"first-word"');
});

test("a step type is one file and one line: types, the builder, validate, schema and run know it", () => {
  const copy = copyCheckout();
  const file = "src/programs/steps/shout-step.ts";
  copy.add(file, STEP_TYPE);
  const registry = "src/programs/steps/registry.ts";
  copy.register(registry, "shoutStep", { from: "./shout-step.ts", after: "patternStep" });
  expect(copy.typecheck(file, registry)).toBe("");

  copy.add("shouting.ts", SHOUTING);
  expect(copy.typecheck("shouting.ts")).toBe("");
  copy.add("shouting.ts", SHOUTING.replace("louder:", "lauder:"));
  expect(copy.typecheck("shouting.ts")).toContain("'lauder' does not exist in type");
  copy.add("shouting.ts", SHOUTING.replace('whenQuiet: "all"', 'whenQuiet: "al"'));
  expect(copy.typecheck("shouting.ts")).toContain('"al"');

  const step = 'steps: [{ id: loud, type: shout, louder: "{{input}}!" }]';
  copy.write("own.yaml", `id: own\n${step}\n`);
  expect(copy.troupe("validate", "own.yaml")).toMatchObject({ exitCode: 0, err: "" });
  expect(copy.troupe("run", "own.yaml", "hear me", "-q")).toMatchObject({
    exitCode: 0,
    out: "HEAR ME!\n",
  });
  copy.write("wrong.yaml", "id: own\nsteps: [{ id: loud, type: shout }]\n");
  expect(copy.troupe("validate", "wrong.yaml")).toMatchObject({ exitCode: 2 });
  copy.writeSchemas();
  expect(copy.troupe("schema", "workflow").out).toContain('"louder"');
});

test("a command is one file and one line: types, help, completion, suggestions and errors know it", () => {
  const copy = copyCheckout();
  const file = "src/cli/commands/greet.ts";
  copy.add(file, COMMAND);
  const registry = "src/cli/registry.ts";
  const place = { from: "./commands/greet.ts", after: "completionAction,?\\s*\\)" };
  copy.register(registry, "greetCommand", place);
  expect(copy.typecheck(file, registry)).toBe("");

  const greeted = copy.troupe("greet", "Ada", "--tongue", "de", "--twice");
  expect(greeted).toMatchObject({ exitCode: 0, out: "guten Tag Ada\nguten Tag Ada\n", err: "" });
  expect(copy.troupe("greet", "--help").out).toContain("in which language (choices: ");
  expect(copy.troupe("help").out).toContain("say good day");
  expect(copy.troupe("completion", "fish", "--", "greet", "--t").out).toContain("--tongue");
  const wrong = copy.troupe("greet", "Ada", "--tounge", "de");
  expect(wrong).toMatchObject({ exitCode: 2 });
  expect(wrong.err).toContain("--tongue");

  const wrongly = COMMAND.replace("{ twice, tongue", "{ thrice, tongue");
  copy.add(file, wrongly.replace('word === "de"', 'tongue === "fr"'));
  const told = copy.typecheck(file, registry);
  expect(told).toContain("Property 'thrice' does not exist");
  expect(told).toContain("have no overlap");
});

test("a coding CLI over ACP is one file and one line: types, validate, run, trust and doctor know it", () => {
  const copy = copyCheckout();
  const file = "src/agents/backends/parrot/parrot-backend.ts";
  copy.add(file, BACKEND);
  const registry = "src/agents/backends/registry.ts";
  const place = { from: "./parrot/parrot-backend.ts", after: "createGooseBackend \\}" };
  copy.register(registry, "parrotBackend", place);
  expect(copy.typecheck(file, registry)).toBe("");

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
