/** The process that gets killed: carries out the run that its one argument describes and prints what it sees. */
import { writeSync } from "node:fs";
import { z } from "zod";
import { clearLeftovers } from "../../src/app/machine/leftovers.ts";
import { createMachineAt, type Machine } from "../../src/app/machine/machine.ts";
import { carryOut } from "../../src/app/run/carry-out.ts";
import type { CarryOutOptions } from "../../src/app/run/owner/carry-out-options.ts";
import type { WorkflowRun } from "../../src/app/run/owner/workflow-run.ts";
import { resumeOnMachine } from "../../src/app/run/resume-run.ts";
import { startRun } from "../../src/app/run/start-run.ts";
import { toWireEvent } from "../../src/contracts/events/event.ts";
import { toErrorReport } from "../../src/foundation/errors.ts";
import { approvalProgram, createdWith } from "./approval-program.ts";
import { askingWorkflow } from "./asking-workflow.ts";
import { budgetWorkflow } from "./budget-workflow.ts";
import { createSpeaker, startChat } from "./chat-program.ts";
import { crashWorkflow, thinker } from "./crash-workflow.ts";
import { withDeadlyStore } from "./deadly-store.ts";
import { familyWorkflow } from "./family-workflow.ts";
import { matrixWorkflow } from "./matrix-workflow.ts";
import { modelWorkflow } from "./model-workflow.ts";
import { modesWorkflow } from "./modes-workflow.ts";
import { peopleProgram } from "./people-program.ts";
import { sagaWorkflow } from "./saga-workflow.ts";
import { approvalWorkflow, STEPS_INPUT, stepsWorkflow } from "./steps-workflow.ts";
import { stubbornWorkflow } from "./stubborn-workflow.ts";
import { SPOKEN, TALKS_AND_SERIES, talkWorkflow } from "./talk-workflows.ts";

const orderSchema = z.object({
  action: z.enum([
    "start",
    "resume",
    "start-approval",
    "resume-approval",
    "start-people",
    "resume-people",
    "start-stubborn",
    "start-budget",
    "start-family",
    "resume-family",
    "start-steps",
    "resume-steps",
    "start-talk",
    "start-steps-approval",
    "resume-steps-approval",
    "start-model",
    "resume-model",
    "start-asking",
    "resume-asking",
    "start-matrix",
    "resume-matrix",
    "start-saga",
    "resume-saga",
    "start-modes",
    "resume-modes",
    "start-chat",
    "resume-chat",
    "clear-leftovers",
  ]),
  cwd: z.string(),
  ledger: z.string(),
  run: z.string().optional(),
  /** The pattern that a run of `start-talk` has. */
  talk: z.enum(TALKS_AND_SERIES).optional(),
  /** Marks the processes of a run that leaves some behind. */
  tag: z.string().optional(),
  /** Limit of the run's cost in USD: of a new run, or of one that goes on. */
  maxCost: z.number().optional(),
  /** Cancel the run once its agents are at work. */
  cancels: z.boolean().optional(),
  /** Die before or after the n-th append of this process. */
  dieAt: z.object({ when: z.enum(["before", "after"]), append: z.number() }).optional(),
});

/** What the process is told to do. */
export type CrashOrder = z.infer<typeof orderSchema>;

/** What goes on with a program that journals know by name. */
const WITHOUT_PROGRAM: ReadonlySet<CrashOrder["action"]> = new Set([
  "resume",
  "resume-family",
  "resume-steps",
  "resume-steps-approval",
  "resume-model",
  "resume-asking",
  "resume-modes",
  "resume-matrix",
  "resume-saga",
  "resume-chat",
]);

// The stream by which the starter learns that this process owns the run, and how far it is: one byte per event.
const PROGRESS = 3;

const order = orderSchema.parse(JSON.parse(process.argv[2] ?? ""));
const plain = createMachineAt({
  cwd: order.cwd,
  // The suite says in the configuration of the project where its model is.
  ...(order.action.endsWith("-model")
    ? { trustsProject: true, env: { ...process.env, ANTHROPIC_API_KEY: "a-key" } }
    : {}),
});
const machine = order.dieAt === undefined ? plain : withDeadlyStore(plain, order.dieAt);

// A suite that fails half-way must not leave processes behind that wait for somebody.
const starter = process.ppid;
setInterval(() => {
  if (process.ppid !== starter) process.exit(1);
}, 1000).unref();

try {
  const run = await open(machine);
  if (run !== undefined) await watch(run);
} catch (error) {
  print({ error: toErrorReport(error) });
  // Whatever still runs must not keep a failed process alive.
  process.exit(1);
}

// One write per line, done before the next thing happens: what was shown is what the file holds.
function print(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function open(on: Machine): Promise<WorkflowRun | undefined> {
  const { action, ledger, run: id = "@last" } = order;
  const options: CarryOutOptions = { functions: new Map([["thinker", thinker(ledger)]]) };
  if (action === "clear-leftovers") return clear(on);
  if (action === "start") return startRun(on, crashWorkflow(ledger), { ...options, task: "crash" });
  if (action === "start-talk")
    return startRun(on, talkWorkflow(order.talk ?? "mesh", ledger), {
      ...options,
      task: "talk",
      cassette: { file: "spoken.json", source: JSON.stringify(SPOKEN) },
    });
  if (action === "start-model") return startRun(on, modelWorkflow(ledger), options);
  if (action === "start-asking") return startRun(on, askingWorkflow(ledger), options);
  if (action === "start-matrix") return startRun(on, matrixWorkflow(ledger), {});
  if (action === "start-saga") return startRun(on, sagaWorkflow(ledger), {});
  if (action === "start-modes") return startRun(on, modesWorkflow(ledger), { input: "go" });
  if (action === "start-chat") return startChat(on, ledger);
  if (action === "start-stubborn") return startRun(on, stubbornWorkflow(order.tag ?? ""), options);
  const budget = order.maxCost === undefined ? {} : { budget: { cost: order.maxCost } };
  if (action === "start-budget") return startRun(on, budgetWorkflow(), { ...options, ...budget });
  if (action === "start-family") return startRun(on, familyWorkflow(ledger), { input: "go" });
  const approvals = action.endsWith("-steps") ? { approvals: "all" as const } : {};
  if (action === "start-steps")
    return startRun(on, stepsWorkflow(ledger), { ...approvals, input: STEPS_INPUT });
  if (action === "start-steps-approval") return startRun(on, approvalWorkflow(ledger));
  const program = action.endsWith("-people") ? peopleProgram(ledger) : approvalProgram(ledger);
  if (action === "start-approval" || action === "start-people") {
    const journal = on.store.create(on.newRunId());
    const identity = { id: journal.run, workflow: "approval", instance: "default" };
    const run = { journal, program, identity, ...createdWith(program, order.cwd) };
    return carryOut(on, run, options);
  }
  const resumption = await resumeOnMachine(
    on,
    id,
    WITHOUT_PROGRAM.has(action)
      ? { ...options, ...approvals, ...(order.maxCost === undefined ? {} : { limits: budget }) }
      : { ...options, program },
  );
  if (resumption.status === "resumed") return resumption.run;
  const { phase } = resumption.state;
  if (phase.status === "ended") print({ result: phase.result, over: true });
  return undefined;
}

async function clear(on: Machine): Promise<undefined> {
  await clearLeftovers(on);
}

async function watch(run: WorkflowRun): Promise<void> {
  print({ run: run.id });
  const seen = follow(run);
  const parting = await run.parted;
  await seen;
  print({ result: parting.status === "ended" ? parting.event.result : await run.result });
}

/** Answers what people are asked, whoever owned the run when it was asked. */
function answerAll(run: WorkflowRun): void {
  // What is answered already is answered once.
  for (const { id, kind } of run.state.inbox.values())
    if (kind === "question")
      run.command({ kind: "answer-question", id, answer: "signed" }).catch(() => {});
}

/** Prints what is durable, and allows what the agents ask for, as a person at the terminal would. */
async function follow(run: WorkflowRun): Promise<void> {
  let owns = false;
  const speak = order.action.endsWith("-chat") ? createSpeaker(run) : undefined;
  for await (const event of run.events) {
    print({ event: toWireEvent(run.id, event) });
    if (order.action.endsWith("-modes")) answerAll(run);
    speak?.();
    owns ||= event.type === "run-started" || event.type === "run-resumed";
    if (owns) writeSync(PROGRESS, ".");
    const asks = event.type === "permission-requested" && event.ruling === undefined;
    if (asks && !order.action.endsWith("-people"))
      await run.command({ kind: "resolve-permission", id: event.id, decision: "allowed" });
    if (event.type === "agent-ready" && order.cancels === true) await run.cancel();
  }
}
