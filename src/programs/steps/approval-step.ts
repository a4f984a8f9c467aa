import { z } from "zod";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { StepOutcome, StepRun, StepType } from "../../contracts/ports/step-type.ts";
import type { StepRecord, WorkflowContext } from "../../contracts/step-context.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { isJsonObject, type Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { rejected } from "./parts/errors.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  message: z.string().optional().describe("What is asked, with variables. Default: Approve?"),
  show: z
    .string()
    .min(1)
    .optional()
    .describe(
      "An expression for what is to be approved. Default: the data of `input`, else of the step before, conditions and waits left out.",
    ),
  on_timeout: z
    .string()
    .brand<"$step" | "reject" | "approve">()
    .optional()
    .describe("After `timeout_ms`: `reject` (default), `approve`, or the step to go on with."),
});

type ApprovalSettings = z.infer<typeof settings>;

const WHOLE_DATA = /^context\.([A-Za-z][A-Za-z0-9_-]*)$/;
const STANDING_WAYS: ReadonlySet<string> = new Set(["reject", "approve"]);

/** Waits for a person's decision, over any number of restarts (STP-8). */
export const approvalStep = {
  ...PLAIN_STEP,
  name: "approval",
  summary: "Waits until a person approves or rejects",
  settings,
  routes: ["on_approve", "on_reject"],
  expressions: ["show"],
  templates: ["message"],
  deadline: "itself",
  forward: "on_approve",
  // Without `show` it is the step before that is approved, whichever that was.
  takesWholeInput: ({ show }) => show === undefined,
  looksBack: ({ show }) => show === undefined,
  routesIn: ({ on_timeout = "reject" }) => (STANDING_WAYS.has(on_timeout) ? {} : { on_timeout }),
  run,
  recall,
  route: (step, { success, data }) => {
    const { next, on_error, on_approve, on_reject, on_timeout } = step.routes;
    if (!success) return on_error === undefined ? { kind: "end" } : { kind: "step", id: on_error };
    const { approved, by, comment } = decisionIn(data);
    const forward = on_approve ?? next;
    if (approved) return forward === undefined ? { kind: "end" } : { kind: "step", id: forward };
    const back = by === "timeout" && on_timeout !== undefined ? on_timeout : on_reject;
    if (back !== undefined) return { kind: "step", id: back };
    const reason = rejected({ step: step.id, by, comment }).message;
    return { kind: "end", outcome: "rejected", reason };
  },
} as const satisfies StepType<ApprovalSettings>;

function decisionIn(data: Json): { approved: boolean; by: string; comment: string } {
  const { approved, by, comment } = isJsonObject(data) ? data : {};
  const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "");
  return { approved: approved === true, by: textOf(by), comment: textOf(comment) };
}

async function run(run: StepRun<ApprovalSettings>): Promise<StepOutcome> {
  const { context, scope, step, address, settings: own } = run;
  const { message = "Approve?", on_timeout = "reject" } = own;
  const shown = whatIsShown(run);
  const decision = await context.approval({
    message: scope.text(message),
    step: step.id,
    ...present({ show: shown, timeoutMs: step.timeoutMs }),
    ...(on_timeout === "approve" ? { onTimeout: "approve" } : {}),
  });
  const { approved, by, comment = "", edited = null } = decision;
  const data = { approved, comment, edited, by };
  const { inner: records, ...said } = recall(step, data, scope.context);
  // Inside of another step nothing leads on from a rejection: whoever is around it has to see it.
  const isNested = address.path !== step.id;
  const word = approved ? "approved" : "rejected";
  return {
    data,
    output: `${word} by ${by}${comment === "" ? "" : `: ${comment}`}`,
    outcome: word,
    ...said,
    ...(records === undefined ? {} : { records }),
    ...(approved || !isNested
      ? {}
      : { error: toErrorReport(rejected({ step: step.id, by, comment })) }),
  };
}

function whatIsShown({
  step,
  scope,
  settings: { show },
}: StepRun<ApprovalSettings>): Json | undefined {
  if (show !== undefined) return scope.value(show);
  const name = nameShown(step, scope.context);
  return name === undefined ? undefined : scope.context.dataOf(name);
}

/** The step or name whose whole data is shown; undefined when it is a part of one, or made of several. */
function nameShown(
  { input, settings: { show } }: FlowStep,
  context: WorkflowContext,
): string | undefined {
  if (typeof show === "string") return WHOLE_DATA.exec(show.trim())?.[1];
  const { currentStep } = context.metadata;
  return input ?? (currentStep === "" ? undefined : currentStep);
}

/** What a person said, and what the workflow goes on with in place of what was shown. */
function recall(
  step: FlowStep,
  data: Json,
  context: WorkflowContext,
): Pick<StepRecord, "comment" | "inner"> {
  const { approved, comment, edited = null } = isJsonObject(data) ? data : {};
  const said = typeof comment === "string" && comment !== "" ? { comment } : {};
  const name = nameShown(step, context);
  if (approved !== true || edited === null || name === undefined) return said;
  const before = context.getResult(name);
  const record: StepRecord = {
    stepId: before?.stepId ?? name,
    success: true,
    data: edited,
    startTime: before?.startTime ?? context.startTime,
    endTime: before?.endTime ?? context.startTime,
    durationMs: before?.durationMs ?? 0,
    ...(before?.output === undefined ? {} : { output: before.output }),
  };
  return { ...said, inner: [record] };
}
