import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunCommand } from "../../../contracts/events/run-events.ts";
import type { Journal, LeaseHolder } from "../../../contracts/ports/store.ts";
import { sendControl } from "../../../control/client.ts";
import { controlRefused } from "../../../control/errors.ts";
import { ownerSilent } from "../../../engine/errors.ts";
import { fold, foldAll } from "../../../fold/fold.ts";
import { toHead } from "../../../fold/head.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { runStatus } from "../../../fold/waiting.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { Json } from "../../../foundation/json.ts";
import { runForeign } from "../../../journal/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { assertCommand } from "../../runs/check-command.ts";
import { runNotRunning } from "../../runs/errors.ts";
import { rootOf } from "../../runs/families/run-families.ts";
import { readHead } from "../../runs/run-heads.ts";
import { resolveRun } from "../../runs/run-lookup.ts";
import { type EndedUnowned, endUnowned, holdUnowned, isEnding } from "./end-unowned.ts";

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

/**
 * Gives a command to a run: to its owner over the socket, or into its journal when nobody owns it (ENG-19); what is
 * to end it then ends it at once (USE-2). Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_FOREIGN, ENGINE_OWNER_SILENT, ENGINE_RUN_OVER, ENGINE_ITEM_UNKNOWN,
 * ENGINE_ITEM_RESOLVED, RUN_ITEM_CHANGED, RUN_ITEM_EXPIRED, RUN_NOT_RUNNING, AGENT_GONE and what messages raise.
 */
export async function commandRun(
  machine: Machine,
  given: string,
  { command, by = "user" }: { readonly command: RunCommand; readonly by?: string },
): Promise<CommandReceipt> {
  const run = resolveRun(machine.store, given);
  for (let attempt = 1; ; attempt += 1) {
    const holder = liveHolder(machine, run);
    try {
      if (holder !== undefined)
        return {
          status: "done",
          run,
          result: await askOwner(machine, run, { holder, command, by }),
        };
      return await commandUnowned(machine, run, { command, by });
    } catch (error) {
      // The run may have changed hands between the look and the call; look again a few times.
      const changedHands =
        isCode(error, "ENGINE_RUN_OWNED") ||
        (isCode(error, "ENGINE_OWNER_SILENT") && liveHolder(machine, run) === undefined);
      if (!changedHands || attempt >= 5) throw error;
    }
  }
}

/** Who carries a run out, if anybody does. Raises RUN_FOREIGN. */
function liveHolder(machine: Machine, run: string): LeaseHolder | undefined {
  const journal = machine.store.open(run, "read");
  try {
    const reason = journal.foreign();
    if (reason !== undefined) throw runForeign({ run, reason });
    const holder = journal.leaseHolder();
    return holder === undefined || machine.isGone(holder) ? undefined : holder;
  } finally {
    journal.close();
  }
}

async function askOwner(
  machine: Machine,
  run: string,
  asked: { readonly holder: LeaseHolder; readonly command: RunCommand; readonly by: string },
): Promise<Json> {
  const { holder, command, by } = asked;
  try {
    return await sendControl(holder.socketPath, { run, by, command }, machine.clock);
  } catch (error) {
    if (!isCode(error, controlRefused.code)) throw error;
    throw ownerSilent({ run, pid: holder.pid, command: holder.command }, { cause: error });
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
  assertCommand(state, command, machine.clock.now());
  const earlier = command.kind === "send" ? sentBefore(machine, state, command.key) : undefined;
  if (earlier !== undefined) return earlier;
  if (command.kind === "pause" || command.kind === "interrupt")
    throw runNotRunning({ run: journal.run, state: runStatus(state) });
  const event: JournalEvent = {
    type: "command-received",
    command,
    by,
    seq: state.lastSeq + 1,
    at: machine.clock.now(),
  };
  const stepTotal = readHead(machine.store, journal.run)?.steps.total ?? 0;
  await journal.append({ epoch, events: [event], head: toHead(fold(state, event), stepTotal) });
  journal.seal();
  return recorded(machine, journal.run);
}

/** What became of a message that was sent under this key before; undefined when none was. */
function sentBefore(machine: Machine, state: RunState, key: string): CommandReceipt | undefined {
  const run = state.run.id;
  const posted = state.messages.byKey.get(key);
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
