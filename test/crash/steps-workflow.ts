import type { StepsDefinition } from "../../src/contracts/definition.ts";
import { defineStepWorkflow, type TestFlowStep } from "../../src/testing/run-workflow-in-memory.ts";

/** The input of the workflow below. */
export const STEPS_INPUT = { list: ["a", "b", "c", "d", "e", "f"] };

/** Commands that tell the ledger: one alone, one for each item of a list, one in each round of a loop, after an approval. */
export function stepsWorkflow(ledger: string): StepsDefinition {
  const shell = (id: string): TestFlowStep => ({
    id,
    type: "shell",
    settings: { command: TELL, env: { LEDGER: ledger } },
  });
  return defineStepWorkflow({
    name: "steps",
    steps: [
      { ...shell("prepare"), routes: { next: "all" } },
      {
        id: "all",
        type: "parallel",
        settings: { for_each: "input.list", max_concurrency: 3 },
        steps: [shell("each")],
        routes: { next: "approve" },
      },
      { id: "approve", type: "approval", input: "all", routes: { on_approve: "refine" } },
      {
        id: "refine",
        type: "loop",
        settings: { times: 3 },
        steps: [shell("round")],
        routes: { next: "sum" },
      },
      {
        id: "sum",
        type: "transform",
        settings: {
          transform: "[context.prepare.stdout, length(context.each), context.round.stdout]",
        },
      },
    ],
  });
}

/** A workflow that waits for a person between two commands. */
export function approvalWorkflow(ledger: string): StepsDefinition {
  const shell = (id: string, next?: string): TestFlowStep => ({
    id,
    type: "shell",
    settings: { command: TELL, env: { LEDGER: ledger } },
    routes: next === undefined ? {} : { next },
  });
  return defineStepWorkflow({
    name: "steps",
    maxDurationMs: 86_400_000,
    steps: [
      shell("plan", "approve"),
      {
        id: "approve",
        type: "approval",
        settings: { message: "Deploy {{context.plan.stdout}}?" },
        routes: { on_approve: "deploy", on_reject: "abandon" },
      },
      shell("deploy"),
      shell("abandon"),
    ],
  });
}

const TELL = [
  'echo "start $TROUPE_IDEMPOTENCY_KEY $TROUPE_STEP $TROUPE_ATTEMPT" >> "$LEDGER"',
  "sleep 0.02",
  'echo "end $TROUPE_IDEMPOTENCY_KEY $TROUPE_STEP $TROUPE_ATTEMPT" >> "$LEDGER"',
  'echo "did $TROUPE_STEP"',
].join("; ");
