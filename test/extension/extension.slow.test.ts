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
export const shoutStep: StepType<z.infer<typeof settings>> = {
  ...PLAIN_STEP,
  name: "shout",
  summary: "Says a text in capitals",
  settings,
  templates: ["louder"],
  run: async ({ scope, settings: { louder } }) => ({ data: scope.text(louder).toUpperCase() }),
};
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

test("a step type is one file and one line: types, validate, schema and run know it", () => {
  const copy = copyCheckout();
  const file = "src/programs/steps/shout-step.ts";
  copy.add(file, STEP_TYPE);
  const registry = "src/programs/steps/registry.ts";
  copy.register(registry, "shoutStep", { from: "./shout-step.ts", after: "patternStep" });
  expect(copy.typecheck(file, registry)).toBe("");

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

  copy.add(file, COMMAND.replace("{ twice, tongue", "{ thrice, tongue"));
  expect(copy.typecheck(file, registry)).toContain("Property 'thrice' does not exist");
  copy.add(file, COMMAND.replace('word === "de"', 'tongue === "fr"'));
  expect(copy.typecheck(file, registry)).toContain("have no overlap");
});
