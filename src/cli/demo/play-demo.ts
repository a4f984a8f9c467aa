import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import { startRun } from "../../app/run/start-run.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { Clock, Timer } from "../../foundation/clock.ts";
import { attendRun } from "../attend/attend-run.ts";
import { attendedRun, createAttendance } from "../attend/attendance.ts";
import { watchStops } from "../attend/stop-watch.ts";
import type { Invocation } from "../command/command.ts";
import { reportAtEnd } from "../share/write-report.ts";
import { chooseProgress } from "../view/progress.ts";
import type { DemoFolder } from "./demo-folder.ts";

const TASK = "sum() in sum.cjs gives wrong results for negative numbers. Fix it.";

/** How quickly the demo goes. */
export interface DemoPace {
  /** Without the pauses that make it readable. */
  readonly isFast: boolean;
  /** How long a person has to decide; 0 when nobody is asked. */
  readonly patienceMs: number;
}

/** Carries the demo's workflow out; the folder is its project. */
export async function playDemo(
  { path }: DemoFolder,
  { isFast, patienceMs }: DemoPace,
  { io, settings }: Invocation,
): Promise<{ readonly run: string; readonly exitCode: number }> {
  const { TROUPE_DIR: _ignored, ...env } = io.env;
  const machine = createMachineAt({ cwd: path, env });
  const definition = await loadDemo(machine, path);
  const asked = { ...settings, mayAsk: patienceMs > 0 };
  const progress = chooseProgress({}, { io, settings: asked });
  const attendance = createAttendance({ machine, io, settings: asked, progress });
  const stops = watchStops(io);
  let run: WorkflowRun | undefined;
  try {
    run = await startRun(machine, definition, {
      task: TASK,
      file: "demo.yaml",
      ...attendedRun(attendance),
      // What nobody decides in time is decided for them.
      suspendsWhenWaiting: false,
      cassette: { file: "cassette.yaml", source: readCassette(path, isFast) },
    });
    stops.attach(run);
    const approvals = approveSoon(run, { clock: machine.clock, delayMs: patienceMs });
    const exitCode = await attendRun(run, attendance);
    await approvals;
    await reportAtEnd(run.id, join(path, "report.html"), { machine, io, settings, progress });
    return { run: run.id, exitCode };
  } finally {
    stops.close();
  }
}

async function loadDemo(machine: Machine, path: string): Promise<WorkflowDefinition> {
  const { definition, problems } = await loadFile(machine, { file: join(path, "demo.yaml") });
  if (definition !== undefined) return definition;
  throw new Error(`the workflow of the demo is broken: ${problems[0]?.message ?? "no definition"}`);
}

function readCassette(path: string, isFast: boolean): string {
  const source = readFileSync(join(path, "cassette.yaml"), "utf8");
  return isFast ? source.replaceAll(/after: \d+ms/g, "after: 1ms") : source;
}

/** How the demo decides where nobody does. */
interface ApproveSoonOptions {
  readonly clock: Clock;
  /** Time that a person has first. */
  readonly delayMs: number;
}

/** Allows what the run's agents ask for, after a while, unless a person was quicker. Ends with the run. */
async function approveSoon(run: WorkflowRun, options: ApproveSoonOptions): Promise<void> {
  const { clock, delayMs } = options;
  const timers = new Map<string, Timer>();
  for await (const event of run.events) {
    if (event.type === "permission-resolved") timers.get(event.id)?.cancel();
    if (event.type !== "permission-requested") continue;
    const { id } = event;
    timers.set(
      id,
      clock.startTimer(delayMs, () => {
        // Who was quicker has decided; then there is nothing left to allow.
        run
          .command({ kind: "resolve-permission", id, decision: "allowed" }, "demo")
          .catch(() => {});
      }),
    );
  }
  for (const timer of timers.values()) timer.cancel();
}
