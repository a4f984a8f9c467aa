import { resumeInDaemon, startInDaemon } from "../../app/background/ask-daemon.ts";
import type { Machine } from "../../app/machine/machine.ts";
import type { StartOptions } from "../../app/run/start-run.ts";
import { writeRecipe } from "../../app/workflow/shapes/run-recipe.ts";
import type { ApprovalMode, RunLimits } from "../../contracts/run.ts";
import { present } from "../../foundation/present.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";

/** What a run is handed over with, beside what it is made from. */
export interface RunToHandOver {
  readonly approvals?: ApprovalMode;
  /** `--trust` */
  readonly trustsProject: boolean;
  /** `--accept-config` of a run that is resumed. Defaults to false. */
  readonly acceptsConfiguration?: boolean;
}

/**
 * Starts a run in the daemon, with the directory and the environment of this command; resolves with its id.
 * Raises DAEMON_* errors and what startRun raises.
 */
export async function startDetached(
  machine: Machine,
  {
    definition,
    start,
    program,
  }: Pick<PreparedRun, "definition" | "start"> & Pick<StartOptions, "program">,
  handOver: RunToHandOver,
): Promise<string> {
  const { cassette, ...options } = start;
  const { text } = writeRecipe({ definition, ...present({ cassette }) });
  const { run } = await startInDaemon(machine, {
    ...placeOf(machine, handOver),
    recipe: text,
    options: present({ ...options, program }),
  });
  return run;
}

/**
 * Lets the daemon go on with a run; resolves with its id. Raises DAEMON_* errors and what resumeRun raises.
 */
export async function resumeDetached(
  machine: Machine,
  { run, limits }: { readonly run: string; readonly limits: RunLimits | undefined },
  handOver: RunToHandOver,
): Promise<string> {
  const place = placeOf(machine, handOver);
  const { acceptsConfiguration } = handOver;
  const given = present({ limits, acceptsConfiguration });
  const taken = await resumeInDaemon(machine, { ...place, run, ...given });
  return taken.run;
}

/** What tells of a run that goes on in the daemon. */
export interface HandedOver {
  readonly run: string;
  readonly workflow: string;
  readonly instance: string;
  /** A standalone agent, as it is addressed. */
  readonly agent?: string;
}

/** Says where a run goes on: as one JSON object, as its id alone, or for people. */
export function tellHandedOver(
  { run, workflow, instance, agent }: HandedOver,
  more: readonly string[],
  { io, settings, options }: Pick<Invocation, "io" | "settings" | "options">,
): void {
  if (options["json"] === true) {
    const named = agent === undefined ? {} : { agent };
    io.stdout.write(`${JSON.stringify({ v: 1, run, workflow, instance, ...named })}\n`);
    return;
  }
  if (settings.isQuiet) {
    io.stdout.write(`${run}\n`);
    return;
  }
  const lines = [
    agent === undefined
      ? `${run} (${workflow}@${instance}) goes on in the background`
      : `${agent} waits for messages in the background (${run})`,
    ...[`watch it: ${TROUPE} logs -f ${run}`, ...more].map((line) => `  ${line}`),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
}

function placeOf({ project, env }: Machine, { approvals, trustsProject }: RunToHandOver) {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    cwd: project.cwd,
    env: Object.fromEntries(variables),
    trustsProject,
    ...(approvals === undefined ? {} : { approvals }),
  };
}

/** Options that need this process for as long as the run goes on. */
interface AttendedOptions {
  readonly record?: string;
  readonly report?: string;
  readonly progress?: string;
  readonly jsonAll?: boolean;
  readonly unsandboxed?: boolean;
}

/** Whether a run can be handed over with these options. Raises USAGE_INVALID. */
export function assertDetachable({
  record,
  report,
  progress,
  jsonAll,
  unsandboxed,
}: AttendedOptions): void {
  if (unsandboxed === true)
    throw usageInvalid({
      problem: "--unsandboxed is for runs that stay in this terminal",
      hint: "leave --detach out, or take isolation: sandbox out of the workflow",
    });
  const flags = { "--record": record, "--report": report, "--progress": progress };
  const given = Object.entries({
    ...flags,
    "--json=all": jsonAll === true ? true : undefined,
  }).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw usageInvalid({
    problem: `--detach leaves nobody here for ${given[0]}`,
    hint: "leave it out, and look at the run later: troupe logs, troupe report",
  });
}
