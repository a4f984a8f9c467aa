import { z } from "zod";
import type { StepOutcome, StepRun, StepScope, StepType } from "../../contracts/ports/step-type.ts";
import { isJsonArray, type Json } from "../../foundation/json.ts";
import { pathText } from "../language/expressions/syntax.ts";
import { parsePromptTemplate } from "../language/templates/parse-prompt.ts";
import { runChildWorkflow } from "./parts/child-workflow.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  file: z
    .string()
    .min(1)
    .optional()
    .describe("The workflow's file, relative to this one, inside of the project."),
  workflow: z.string().min(1).optional().describe("Its id in the directory of workflows."),
  with: z
    .json()
    .optional()
    .describe(
      "Its input, with variables; a text that is one variable becomes its value. Default: the data of `input`, else the input of this run.",
    ),
});

type WorkflowSettings = z.infer<typeof settings>;

/** Runs another workflow as a child run, with a journal of its own (ENG-12). */
export const workflowStep = {
  ...PLAIN_STEP,
  name: "workflow",
  summary: "Runs another workflow and keeps what it came to",
  settings,
  templates: ["with"],
  check: ({ file, workflow }) => {
    if (file === undefined && workflow === undefined)
      return [{ problem: "names no workflow", hint: "write `file: PATH`, or `workflow: ID`" }];
    if (file === undefined || workflow === undefined) return [];
    const problem = "is here beside file";
    return [{ key: "workflow", problem, hint: "keep the one that is meant" }];
  },
  workflows: ({ file, workflow }) => {
    if (file !== undefined) return [{ key: file, file }];
    return workflow === undefined ? [] : [{ key: workflow, id: workflow }];
  },
  run,
} as const satisfies StepType<WorkflowSettings>;

function run(run: StepRun<WorkflowSettings>): Promise<StepOutcome> {
  const { file, workflow = "", with: given } = run.settings;
  const key = file ?? workflow;
  if (given === undefined) return runChildWorkflow(run, key);
  return runChildWorkflow(run, key, fillIn(run.scope, given));
}

/** A value with the variables of all its texts filled in. Keys stay as they are written. */
function fillIn(scope: StepScope, value: Json): Json {
  if (typeof value === "string") return filledIn(scope, value);
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value)) return value.map((item) => fillIn(scope, item));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillIn(scope, member)]),
  );
}

/** What a text stands for: the value itself when it is nothing but one variable that has one. */
function filledIn(scope: StepScope, template: string): Json {
  const [node, ...others] = parsePromptTemplate(template).nodes;
  const isVariable = node?.kind === "value" && node.reference.kind === "variable";
  if (!isVariable || others.length > 0) return scope.text(template);
  const path = pathText(node.reference.segments);
  return scope.holds(`exists(${path})`) ? scope.value(path) : scope.text(template);
}
