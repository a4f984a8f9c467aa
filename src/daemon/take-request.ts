import { z } from "zod";
import {
  type DaemonContact,
  type DaemonRecord,
  isSameToken,
} from "../app/background/daemon-record.ts";
import { daemonDenied, daemonVersionDiffers, runNotHeld } from "../app/background/errors.ts";
import { createMachineAt, type Machine, type MachineParts } from "../app/machine/machine.ts";
import { isSameBuild } from "../app/machine/place/version.ts";
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
import { present } from "../foundation/present.ts";
import { toBackgroundRun } from "./held-runs.ts";
import type { KeptSchedules } from "./kept-schedules.ts";
import { type TakeOptions, takeRun } from "./take-run.ts";

export interface RequestTakerOptions extends TakeOptions {
  readonly record: DaemonRecord;
  readonly schedules: KeptSchedules;
  readonly parts: MachineParts;
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
      case "schedule":
        return options.schedules.add(ask.wish);
      case "change-schedule":
        return options.schedules.change(ask.name, ask.change);
    }
  };
}

function statusOf({ record, held }: RequestTakerOptions): DaemonStatus {
  const { pid, version, startedAt, socket } = record;
  return { pid, version, startedAt, socket, isDraining: held.isDraining, ...held.report() };
}

async function start(ask: AskOf<"start">, options: RequestTakerOptions): Promise<Json> {
  const machine = machineOf(ask, options);
  const id = machine.newRunId();
  const { definition, cassette } = await readRecipe(id, ask.recipe);
  const { instance = "default" } = ask.options;
  const entry = toBackgroundRun(machine, { run: id, workflow: definition.name, instance });
  return takeRun(entry, options, () =>
    startRun(machine, definition, {
      ...ask.options,
      id,
      ...(cassette === undefined ? {} : { cassette }),
      ...approvalsOf(ask),
    }),
  );
}

async function resume(ask: AskOf<"resume">, options: RequestTakerOptions): Promise<Json> {
  const machine = machineOf(ask, options);
  const { workflow, instance, id } = inspectRun(machine, ask.run).run;
  const entry = toBackgroundRun(machine, { run: id, workflow, instance });
  return takeRun(entry, options, async () => {
    const { limits, acceptsConfiguration } = ask;
    const given = { ...approvalsOf(ask), ...present({ limits, acceptsConfiguration }) };
    const resumption = await resumeOnMachine(machine, id, given);
    if (resumption.status === "over") throw runNotHeld({ run: id });
    return resumption.run;
  });
}

function machineOf(
  { cwd, env, trustsProject = false }: AskOf<"start"> | AskOf<"resume">,
  { parts }: RequestTakerOptions,
): Machine {
  return createMachineAt({ cwd, env, trustsProject }, parts);
}

function approvalsOf({ approvals }: AskOf<"start"> | AskOf<"resume">) {
  return approvals === undefined ? {} : { approvals };
}
