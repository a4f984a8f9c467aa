import type { Machine } from "../../app/machine/machine.ts";
import { resumeOnMachine } from "../../app/run/resume-run.ts";
import { walkBack } from "../../app/runs/run-events.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import type { RunLimits } from "../../contracts/run.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { isOver } from "../../fold/waiting.ts";
import { parseDuration } from "../../foundation/duration.ts";
import {
  assertDetachable,
  type RunToHandOver,
  resumeDetached,
  tellHandedOver,
} from "../background/hand-over.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { type OptionValues, optionValues } from "../command/option.ts";
import { goOnOptions } from "../commands/parts/go-on-options.ts";
import { tellAgents, tellConfig } from "../config/tell-config.ts";
import { readBudget } from "../prepare/read-budget.ts";
import { trailAtEnd } from "../share/trail-at-end.ts";
import { reportAtEnd } from "../share/write-report.ts";
import { toJsonLine } from "../view/json-view.ts";
import { chooseProgress, type Progress } from "../view/progress.ts";
import { attendRun } from "./attend-run.ts";
import { type Attendance, attendedRun, backgroundTerms, createAttendance } from "./attendance.ts";
import { startRecording } from "./recording.ts";
import { watchStops } from "./stop-watch.ts";
import { tellPast } from "./tell-parting.ts";

/** How a command goes on with a run that it finds or makes. */
export type GoOnOptions = OptionValues<typeof goOnOptions>;

/** How it goes on where nothing else was asked for. */
export const PLAINLY: GoOnOptions = optionValues(goOnOptions, {});

/** The command that goes on with a run. */
export interface GoingOn {
  /** Finds or makes the run; undefined when what is wrong was told. */
  findRun(machine: Machine, progress: Progress): Promise<string | undefined>;
}

/**
 * Goes on with a run here or in the daemon, or tells what it came to; resolves with the exit code. The run is found
 * once everything else is known to be right.
 */
export async function goOn(
  options: GoOnOptions,
  invocation: Invocation,
  { findRun }: GoingOn,
): Promise<number> {
  if (options.detach) assertDetachable(options);
  const progress = chooseProgress(options, invocation);
  const limits = readLimits(options);
  const machine = await openMachine(invocation);
  const config = await tellConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const run = await findRun(machine, progress);
  if (run === undefined) return EXIT.usage;
  if (options.detach && !isOver(inspectRun(machine, run)))
    return detach(machine, { run, options, limits }, invocation);
  const rings = config.settings.notify === true;
  const { io, settings } = invocation;
  const handOver = handOverOf(options);
  const background = backgroundTerms(options, (id) =>
    resumeDetached(machine, { run: id, limits: undefined }, handOver),
  );
  const attendance = createAttendance({ machine, io, settings, progress, rings, background });
  return attend({ run, options, limits }, attendance, invocation);
}

interface Asked {
  readonly run: string;
  readonly options: GoOnOptions;
  readonly limits: RunLimits;
}

async function attend(
  { run, options, limits }: Asked,
  attendance: Attendance,
  invocation: Invocation,
): Promise<number> {
  const { machine, io } = attendance;
  const recording = await startRecording(machine, options.record, invocation);
  const stops = watchStops(io);
  try {
    const resumption = await resumeOnMachine(machine, run, {
      approvals: options.approve ?? "ask",
      unsandboxed: options.unsandboxed,
      acceptsConfiguration: options.acceptConfig,
      ...attendedRun(attendance),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    });
    if (resumption.status === "over") {
      const exitCode = await tellOver(resumption.state, attendance);
      await trailAtEnd(resumption.state.run.id, attendance);
      await reportAtEnd(resumption.state.run.id, options.report, attendance);
      return exitCode;
    }
    stops.attach(resumption.run);
    recording.attach(resumption.run);
    const agents = [...resumption.run.state.agents.values()];
    const live = agents.filter(({ exit }) => exit === undefined).map(({ spec }) => spec);
    await tellAgents(machine, live, invocation);
    const exitCode = await attendRun(resumption.run, attendance);
    await trailAtEnd(resumption.run.id, attendance);
    await reportAtEnd(resumption.run.id, options.report, attendance);
    return exitCode;
  } finally {
    await recording.finish();
    stops.close();
  }
}

async function detach(machine: Machine, asked: Asked, invocation: Invocation): Promise<number> {
  const { options, limits } = asked;
  const changed = Object.keys(limits).length === 0 ? undefined : limits;
  const handOver = handOverOf(options);
  const run = await resumeDetached(machine, { run: asked.run, limits: changed }, handOver);
  const { workflow, instance } = inspectRun(machine, run).run;
  tellHandedOver({ run, workflow, instance }, [], invocation);
  return EXIT.completed;
}

function handOverOf({ approve = "ask", trust, acceptConfig }: GoOnOptions): RunToHandOver {
  return { approvals: approve, trustsProject: trust, acceptsConfiguration: acceptConfig };
}

function readLimits({ timeout, ...input }: GoOnOptions): RunLimits {
  const budget = readBudget(input);
  return {
    ...(timeout === undefined ? {} : { timeoutMs: parseDuration(timeout, "--timeout") }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

async function tellOver(state: RunState, attendance: Attendance): Promise<number> {
  const { progress, machine } = attendance;
  if (progress === "json" || progress === "json-all") tellLastEvent(state, machine, attendance);
  else await tellPast(state, attendance);
  return state.phase.status === "ended" ? state.phase.exitCode : EXIT.failed;
}

function tellLastEvent({ run }: RunState, machine: Machine, { io }: Attendance): void {
  for (const event of walkBack(machine, run.id)) {
    if (event.type !== "run-ended") continue;
    io.stdout.write(`${toJsonLine(run.id, event)}\n`);
    return;
  }
}
