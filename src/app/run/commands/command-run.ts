import { trajectorySpecOf } from "../../../contracts/definition.ts";
import type { EventData } from "../../../contracts/events/event.ts";
import type { RunCommand } from "../../../contracts/events/run-events.ts";
import type { Journal, LeaseHolder } from "../../../contracts/ports/store.ts";
import type { TrajectoryRecord } from "../../../contracts/trajectory.ts";
import { controlRefused } from "../../../control/errors.ts";
import { ownerAwaited, ownerSilent } from "../../../engine/errors.ts";
import { fold, foldAll } from "../../../fold/fold.ts";
import { toHead } from "../../../fold/head.ts";
import { messageUnder } from "../../../fold/state/message-source.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { runStatus } from "../../../fold/waiting.ts";
import { delay } from "../../../foundation/abort.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { Json } from "../../../foundation/json.ts";
import { OWNER_TTL_MS } from "../../../host/owner-beats.ts";
import { bootClockMs } from "../../../host/system/process-identity.ts";
import { runForeign } from "../../../journal/errors.ts";
import { holderIdentity } from "../../../journal/lease-rules.ts";
import { maskerOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { assertWorksHere } from "../../runs/assert-own-place.ts";
import { assertCommand } from "../../runs/check-command.ts";
import { runNotRunning } from "../../runs/errors.ts";
import { rootOf } from "../../runs/families/run-families.ts";
import { parseHead, readHead } from "../../runs/run-heads.ts";
import { resolveRun } from "../../runs/run-lookup.ts";
import { readRecipe } from "../../workflow/shapes/run-recipe.ts";
import { holdUnowned } from "../hold-unowned.ts";
import { eventMask } from "../owner/mask-event.ts";
import { type EndedUnowned, endUnowned, isEnding } from "./end-unowned.ts";
import { createOwnerLines, type OwnerLines } from "./owner-lines.ts";

/** What became of a command. */
export type CommandReceipt =
  /** Its owner took it. */
  | { readonly status: "done"; readonly run: string; readonly result: Json }
  /** Nobody carried the run out, so it was ended at once. */
  | (EndedUnowned & { readonly status: "ended"; readonly run: string })
  /** Nobody carries it out; it takes effect at resume. */
  | {
      readonly status: "recorded";
      readonly run: string;
      /** The run to resume: the one at the top of the tree. */
      readonly root: string;
    };

/** A command on its way. */
export interface CommandToRun {
  readonly command: RunCommand;
  /** Defaults to the user. */
  readonly by?: string;
  /** Defaults to a line for this command alone. */
  readonly lines?: OwnerLines;
}

interface Carried extends Required<CommandToRun> {
  readonly run: string;
}

/**
 * Gives a command to a run: to its owner over the socket, or into its journal when nobody owns it (ENG-19); what is
 * to end it then ends it at once (USE-2). Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_FOREIGN, ENGINE_OWNER_SILENT, ENGINE_RUN_OVER, ENGINE_ITEM_UNKNOWN,
 * ENGINE_ITEM_RESOLVED, RUN_ITEM_CHANGED, RUN_ITEM_EXPIRED, RUN_NOT_RUNNING, AGENT_GONE and what messages raise.
 */
export async function commandRun(
  machine: Machine,
  given: string,
  { command, by = "user", lines }: CommandToRun,
): Promise<CommandReceipt> {
  const used = lines ?? createOwnerLines(machine.clock);
  try {
    return (
      (await sendOverKept({ run: given, command, by, lines: used })) ??
      (await carry(machine, { run: resolveRun(machine.store, given), command, by, lines: used }))
    );
  } finally {
    if (lines === undefined) used.close();
  }
}

/** What the owner that was spoken with before made of a message; undefined when it has to be looked for. */
async function sendOverKept({
  run,
  command,
  by,
  lines,
}: Carried): Promise<CommandReceipt | undefined> {
  const line = lines.kept(run);
  // A message has a key and may be said twice; what else a person decides is rare, and looks for its owner.
  if (line === undefined || command.kind !== "send") return undefined;
  try {
    return { status: "done", run, result: await line.send({ run, by, command }) };
  } catch {
    // The run may have changed hands since: whoever has it now takes the message, or says the same of it.
    return undefined;
  }
}

async function carry(machine: Machine, carried: Carried): Promise<CommandReceipt> {
  const { run, command, by } = carried;
  for (let attempt = 1; ; attempt += 1) {
    const holder = liveHolder(machine, run);
    try {
      if (holder !== undefined)
        return { status: "done", run, result: await askOwner(machine, holder, carried) };
      return await commandUnowned(machine, run, { command, by });
    } catch (error) {
      // The run may have changed hands between the look and the call; look again a few times.
      const changedHands =
        isCode(error, "ENGINE_RUN_OWNED") ||
        (isCode(error, "ENGINE_OWNER_SILENT") && (await isLetGoSoon(machine, run, holder)));
      if (!changedHands || attempt >= 5) throw error;
    }
  }
}

/**
 * Whether an owner that did not answer turns out to own the run no longer. Nobody can look up an owner on another host or in
 * another container: it has until its lease lapses to show that it lives.
 */
async function isLetGoSoon(
  machine: Machine,
  run: string,
  silent: LeaseHolder | undefined,
): Promise<boolean> {
  const { clock, beats, project } = machine;
  const where = silent === undefined ? undefined : machine.whereIs(silent);
  const longestMs = where === undefined ? DYING_MS : OWNER_TTL_MS + DYING_MS;
  if (silent !== undefined && where !== undefined)
    machine.onWait(ownerAwaited({ run, pid: silent.pid, where, longestMs: OWNER_TTL_MS }));
  const untilMs = clock.monotonic() + longestMs;
  let silentMs = 0;
  while (liveHolder(machine, run)?.epoch === silent?.epoch) {
    if (clock.monotonic() >= untilMs) return false;
    if (silent !== undefined && where !== undefined) {
      const before = silentMs;
      silentMs =
        beats.silentMs(project.runsDirectory, holderIdentity(silent), bootClockMs()) ?? before;
      if (silentMs < before) return false;
    }
    await delay(clock, where === undefined ? DYING_LOOK_MS : OUTWAIT_LOOK_MS, never());
  }
  return true;
}

// A process that is killed hangs up before its end can be seen, under load by some hundred milliseconds.
const DYING_MS = 1000;
const DYING_LOOK_MS = 20;
const OUTWAIT_LOOK_MS = 500;

function never(): AbortSignal {
  return new AbortController().signal;
}

/** Who carries a run out, if anybody does. Raises RUN_FOREIGN, RUN_COPIED. */
function liveHolder(machine: Machine, run: string): LeaseHolder | undefined {
  const journal = machine.store.open(run, "read");
  try {
    const reason = journal.foreign();
    if (reason !== undefined) throw runForeign({ run, reason });
    // The journal of a copy names the owner of the original.
    assertWorksHere(machine, run, parseHead(journal.head())?.cwd);
    const holder = journal.leaseHolder();
    return holder === undefined || machine.isGone(holder) ? undefined : holder;
  } finally {
    journal.close();
  }
}

async function askOwner(
  machine: Machine,
  holder: LeaseHolder,
  { run, command, by, lines }: Carried,
): Promise<Json> {
  try {
    return await lines.to(run, holder).send({ run, by, command });
  } catch (error) {
    if (!isCode(error, controlRefused.code)) throw error;
    const { pid, command: ownerCommand } = holder;
    const where = machine.whereIs(holder);
    throw ownerSilent({ run, pid, command: ownerCommand, where }, { cause: error });
  }
}

async function commandUnowned(
  machine: Machine,
  run: string,
  { command, by }: { readonly command: RunCommand; readonly by: string },
): Promise<CommandReceipt> {
  if (isEnding(command))
    return { status: "ended", run, ...(await endUnowned(machine, run, { command, by })) };
  const held = await holdUnowned(machine, run);
  try {
    return await appendCommand(machine, held.journal, { command, by, epoch: held.epoch });
  } finally {
    held.release();
  }
}

async function appendCommand(
  machine: Machine,
  journal: Journal,
  asked: { readonly command: RunCommand; readonly by: string; readonly epoch: number },
): Promise<CommandReceipt> {
  const { command, by, epoch } = asked;
  const state = foldAll(journal.run, journal.read());
  assertCommand({ state }, command, machine.clock.now());
  const earlier = command.kind === "send" ? sentBefore(machine, state, command.key) : undefined;
  if (earlier !== undefined) return earlier;
  if (command.kind === "pause" || command.kind === "interrupt")
    throw runNotRunning({ run: journal.run, state: runStatus(state) });
  const held = { journal, state, epoch };
  if (command.kind === "record") return addRecord(machine, held, { record: command.record, by });
  await appendEvent(machine, held, { type: "command-received", command, by });
  return recorded(machine, journal.run);
}

/** A run that nobody carries out, in the hands of this process, and what its journal says. */
interface HeldState {
  readonly journal: Journal;
  readonly state: RunState;
  readonly epoch: number;
}

async function appendEvent(machine: Machine, held: HeldState, data: EventData): Promise<void> {
  const { journal, state, epoch } = held;
  const event = { ...data, seq: state.lastSeq + 1, at: machine.clock.now() };
  const stepTotal = readHead(machine.store, journal.run)?.steps.total ?? 0;
  await journal.append({ epoch, events: [event], head: toHead(fold(state, event), stepTotal) });
  journal.seal();
}

/** What is added to a trajectory needs no owner: it holds at once. Known secrets are taken out as the owner does. */
async function addRecord(
  machine: Machine,
  held: HeldState,
  { record, by }: { readonly record: TrajectoryRecord; readonly by: string },
): Promise<CommandReceipt> {
  const { journal, state } = held;
  const { run } = journal;
  const { definition } = await readRecipe(run, journal.blob(state.run.definitionHash));
  const mask = eventMask(await maskerOf(machine, { definition }));
  const note = `record#${state.lastSeq + 1}`;
  await appendEvent(machine, held, mask.event({ type: "record-added", note, by, record }));
  if (trajectorySpecOf(definition) !== undefined) {
    const { retellRun } = await import("../../trail/run-trail.ts");
    await retellRun(machine, run);
  }
  return { status: "done", run, result: null };
}

/** What became of a message that was sent under this key before; undefined when none was. */
function sentBefore(machine: Machine, state: RunState, key: string): CommandReceipt | undefined {
  const run = state.run.id;
  const posted = messageUnder({ state }, key);
  if (posted !== undefined) {
    const { id, seq, to, mentions } = posted;
    const result = { id, seq, recipients: [...(to ?? mentions)], unknownMentions: [] };
    return { status: "done", run, result };
  }
  const isOpen = state.commands.some(
    ({ command }) => command.kind === "send" && command.key === key,
  );
  return isOpen ? recorded(machine, run) : undefined;
}

function recorded({ store }: Machine, run: string): CommandReceipt {
  return { status: "recorded", run, root: rootOf(store, run) };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof TroupeError && error.code === code;
}
