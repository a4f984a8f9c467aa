import { z } from "zod";
import type { BackgroundRun, BackgroundRuns } from "../app/background/background-runs.ts";
import {
  type DaemonContact,
  type DaemonRecord,
  isSameToken,
} from "../app/background/daemon-record.ts";
import {
  daemonDenied,
  daemonStopping,
  daemonVersionDiffers,
  runNotHeld,
} from "../app/background/errors.ts";
import { rememberProject } from "../app/background/known-projects.ts";
import { createMachineAt, type Machine } from "../app/machine/machine.ts";
import type { Environment } from "../app/machine/place/project.ts";
import { isSameBuild } from "../app/machine/place/version.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { resumeOnMachine } from "../app/run/resume-run.ts";
import { startRun } from "../app/run/start-run.ts";
import { inspectRun } from "../app/runs/run-lookup.ts";
import { readRecipe } from "../app/workflow/shapes/run-recipe.ts";
import {
  type DaemonAsk,
  type DaemonRequest,
  type DaemonStatus,
  daemonRequest,
} from "../control/daemon-protocol.ts";
import { controlMessageInvalid } from "../control/errors.ts";
import type { Json } from "../foundation/json.ts";
import type { DaemonLog } from "./daemon-log.ts";
import { type HeldRuns, toBackgroundRun } from "./held-runs.ts";

export interface RequestTakerOptions {
  readonly record: DaemonRecord;
  readonly background: BackgroundRuns;
  readonly held: HeldRuns;
  readonly log: DaemonLog;
  /** Of the daemon. */
  readonly env: Environment;
  /** Lets go of all runs and ends the daemon; resolves with their number when they are let go. */
  readonly stop: () => Promise<number>;
}

type AskOf<Kind extends DaemonAsk["kind"]> = Extract<DaemonAsk, { kind: Kind }>;

// Readable whatever the version of the client is, so that it can be told what to do.
const envelope = z.object({
  token: z.string(),
  version: z.string(),
  ask: z.object({ kind: z.string() }),
});

// What clients of every version may ask: how else would they get another daemon?
const OF_EVERY_VERSION: readonly string[] = ["status", "stop"];

/**
 * The request in a line that came in. Raises RUN_CONTROL_MESSAGE_INVALID, DAEMON_DENIED,
 * DAEMON_VERSION_MISMATCH.
 */
export function readDaemonRequest(value: unknown, { record, token }: DaemonContact): DaemonRequest {
  const outer = envelope.safeParse(value);
  if (!outer.success) throw controlMessageInvalid({ problem: "it has another form" });
  const { version, ask } = outer.data;
  if (!isSameToken(outer.data.token, token)) throw daemonDenied({});
  if (!isSameBuild(version, record.version) && !OF_EVERY_VERSION.includes(ask.kind))
    throw daemonVersionDiffers({ running: record.version, own: version });
  const parsed = daemonRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw controlMessageInvalid({ problem: z.prettifyError(parsed.error) });
}

/** Carries out what clients ask; resolves once they may rely on it. Raises DAEMON_* errors and what runs raise. */
export function createRequestTaker(
  options: RequestTakerOptions,
): (ask: DaemonAsk) => Promise<Json> {
  return async (ask) => {
    switch (ask.kind) {
      case "status":
        return statusOf(options);
      case "stop":
        return { suspended: await options.stop() };
      case "start":
        return start(ask, options);
      case "resume":
        return resume(ask, options);
      case "await":
        return { ...(await options.held.parted(ask)) };
    }
  };
}

function statusOf({ record, held }: RequestTakerOptions): DaemonStatus {
  const { pid, version, startedAt, socket } = record;
  return { pid, version, startedAt, socket, isDraining: held.isDraining, ...held.report() };
}

async function start(ask: AskOf<"start">, options: RequestTakerOptions): Promise<Json> {
  const machine = machineOf(ask);
  const id = machine.newRunId();
  const { definition, cassette } = await readRecipe(id, ask.recipe);
  const { instance = "default" } = ask.options;
  const entry = toBackgroundRun(machine, { run: id, workflow: definition.name, instance });
  return take(entry, options, () =>
    startRun(machine, definition, {
      ...ask.options,
      id,
      ...(cassette === undefined ? {} : { cassette }),
      ...approvalsOf(ask),
    }),
  );
}

async function resume(ask: AskOf<"resume">, options: RequestTakerOptions): Promise<Json> {
  const machine = machineOf(ask);
  const { workflow, instance, id } = inspectRun(machine, ask.run).run;
  const entry = toBackgroundRun(machine, { run: id, workflow, instance });
  return take(entry, options, async () => {
    const { limits } = ask;
    const given = { ...approvalsOf(ask), ...(limits === undefined ? {} : { limits }) };
    const resumption = await resumeOnMachine(machine, id, given);
    if (resumption.status === "over") throw runNotHeld({ run: id });
    return resumption.run;
  });
}

async function take(
  entry: BackgroundRun,
  { background, held, log, env }: RequestTakerOptions,
  begin: () => Promise<WorkflowRun>,
): Promise<Json> {
  if (held.isDraining) throw daemonStopping({});
  const { run, troupeDirectory } = entry;
  const before = background
    .all()
    .find((other) => other.run === run && other.troupeDirectory === troupeDirectory);
  try {
    await held.take(entry, begin);
  } catch (error) {
    // The client is told; the list says of the run what it said before.
    if (held.has(entry)) throw error;
    if (before === undefined) background.remove(entry);
    else background.put(before);
    throw error;
  }
  try {
    rememberProject(env, entry.project);
  } catch (error) {
    log.failure("the list of known projects could not be written", error);
  }
  return { run };
}

function machineOf({ cwd, env, trustsProject = false }: AskOf<"start"> | AskOf<"resume">): Machine {
  return createMachineAt({ cwd, env, trustsProject });
}

function approvalsOf({ approvals }: AskOf<"start"> | AskOf<"resume">) {
  return approvals === undefined ? {} : { approvals };
}
