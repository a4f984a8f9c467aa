import { statSync } from "node:fs";
import type { BackgroundRun, BackgroundRuns } from "../app/background/background-runs.ts";
import { runNotHeld } from "../app/background/errors.ts";
import { createMachineAt, type Machine, type MachineParts } from "../app/machine/machine.ts";
import type { Environment } from "../app/machine/place/project.ts";
import { resumeOnMachine } from "../app/run/resume-run.ts";
import { readListing } from "../app/runs/run-heads.ts";
import { inspectRun } from "../app/runs/run-lookup.ts";
import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { chooseResumption, type RunLook } from "./choose-resumption.ts";
import type { DaemonLog } from "./daemon-log.ts";
import type { HeldRuns } from "./held-runs.ts";

export interface ResumeBackgroundOptions {
  readonly background: BackgroundRuns;
  readonly held: HeldRuns;
  readonly log: DaemonLog;
  readonly clock: Clock;
  /** Of the daemon: what clients of an earlier one had is not stored. */
  readonly env: Environment;
  readonly parts: MachineParts;
}

// A command on a run that nobody carries out owns it for the moment in which it is written down.
const OWNED_PATIENCE_MS = 3000;
const OWNED_LOOK_MS = 50;
// An owner from before a restart, or in another container, is known to be gone once its lease lapses.
const ELSEWHERE_PATIENCE_MS = 15_000;

/**
 * Goes on with what an earlier daemon carried out, one run after the other, so that one that ends the process
 * is known. Never rejects: a run that cannot go on is given up and shown.
 */
export async function resumeBackground(options: ResumeBackgroundOptions): Promise<void> {
  for (const entry of options.background.all()) {
    if (options.held.isDraining) return;
    // A client may have been faster.
    if (!options.held.has(entry)) await resumeOne(entry, options);
  }
}

async function resumeOne(entry: BackgroundRun, options: ResumeBackgroundOptions): Promise<void> {
  const { background, held, log } = options;
  const name = `${entry.run} (${entry.workflow}@${entry.instance})`;
  const { look, machine } = await lookPatiently(entry, options);
  const choice = chooseResumption(entry, look);
  if (choice.status === "forget") {
    background.remove(entry);
    log.info(`${name} is not resumed: ${choice.reason}`);
    return;
  }
  if (choice.status === "give-up") {
    const { deaths, problem } = choice;
    background.put({ ...entry, status: "given-up", deaths, problem });
    log.error(`${name} is given up: ${problem}; resume ${entry.run} to try it again`);
    return;
  }
  if (machine === undefined) return;
  const { deaths, finished } = choice;
  const taken = { ...entry, deaths, finished };
  try {
    await held.take(taken, () => patiently(options, () => resume(machine, entry.run)));
  } catch (error) {
    if (held.has(entry)) return;
    log.failure(`${name} could not be resumed`, error);
    const { message: problem } = toErrorReport(error);
    background.put({ ...taken, status: held.isDraining ? "held" : "given-up", problem });
  }
}

/** Nobody has looked at what a failed step left behind: it goes on waiting for a person. */
async function resume(machine: Machine, run: string) {
  const resumption = await resumeOnMachine(machine, run, { retriesPaused: false });
  if (resumption.status === "over") throw runNotHeld({ run });
  return resumption.run;
}

/** Tries again as long as somebody else owns the run for a moment. */
async function patiently<Value>(
  { clock }: Pick<ResumeBackgroundOptions, "clock">,
  attempt: () => Promise<Value>,
): Promise<Value> {
  const untilMs = clock.monotonic() + OWNED_PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isOwned = toErrorReport(error).code === "ENGINE_RUN_OWNED";
      if (!isOwned || clock.monotonic() > untilMs) throw error;
      await delay(clock, OWNED_LOOK_MS, new AbortController().signal);
    }
  }
}

interface Found {
  readonly look: RunLook;
  /** Whether only time can tell if the owner lives. */
  readonly isElsewhere?: boolean;
  /** Of a run that is free. */
  readonly machine?: Machine;
}

async function lookPatiently(
  entry: BackgroundRun,
  options: ResumeBackgroundOptions,
): Promise<Found> {
  const { clock } = options;
  const startMs = clock.monotonic();
  for (;;) {
    const found = find(entry, options);
    const patienceMs = found.isElsewhere === true ? ELSEWHERE_PATIENCE_MS : OWNED_PATIENCE_MS;
    if (found.look.status !== "owned" || clock.monotonic() - startMs > patienceMs) return found;
    await delay(clock, OWNED_LOOK_MS, new AbortController().signal);
  }
}

function find(
  { run, cwd, troupeDirectory, trustsProject = false }: BackgroundRun,
  { env, parts }: ResumeBackgroundOptions,
): Found {
  try {
    // Only what is not there is gone: a directory that cannot be looked into may be opened again.
    if (statSync(troupeDirectory, { throwIfNoEntry: false }) === undefined)
      return { look: { status: "missing", problem: `${troupeDirectory} is gone` } };
    // The run itself remembers what it was trusted with, and is not resumed with anything else.
    const place = { cwd, env: { ...env, TROUPE_DIR: troupeDirectory }, trustsProject };
    const machine = createMachineAt(place, parts);
    const { owner } = readListing(machine.store, run, machine.isGone) ?? {};
    if (owner !== undefined)
      return { look: { status: "owned" }, isElsewhere: machine.whereIs(owner) !== undefined };
    return { look: { status: "free", state: inspectRun(machine, run) }, machine };
  } catch (error) {
    const { code, message: problem } = toErrorReport(error);
    return { look: { status: code === "RUN_NOT_FOUND" ? "missing" : "unreadable", problem } };
  }
}
