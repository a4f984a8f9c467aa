import type { Machine } from "../../app/machine/machine.ts";
import { defaultTarget } from "../../app/runs/default-target.ts";
import { resolveTarget, type Target } from "../../app/runs/resolve-target.ts";
import { walkBack, walkEvents } from "../../app/runs/run-events.ts";
import { readListing } from "../../app/runs/run-heads.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { fold } from "../../fold/fold.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../fold/state/run-state.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { nowLines } from "../agents/now-lines.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readCount } from "../command/read-count.ts";
import type { peekCommand } from "../commands/peek.ts";
import { isOfAgent } from "../runs/concerns.ts";
import { followToEnd } from "../runs/follow-to-end.ts";
import { writeLines } from "../terminal/write-lines.ts";
import { createJsonView } from "../view/json-view.ts";
import { observeJournal } from "../view/live/journal-activity.ts";
import { type ActivityLog, createActivityLog } from "../view/live/turn-activity.ts";
import { createPlainView, plainStyle } from "../view/plain-view.ts";

// What somebody who looks over an agent's shoulder wants to know beside what is said.
const TOLD_WHILE_FOLLOWING: ReadonlySet<string> = new Set([
  "message-dead",
  "turn-failed",
  "agent-status",
  "agent-exited",
  "question-asked",
  "permission-requested",
  "approval-requested",
  "run-suspended",
  "run-ended",
]);

/** Whether an event is a message from, to or about the agent; of any agent without one. */
function isMessageOf(event: JournalEvent, agent: string | undefined): boolean {
  if (event.type !== "message-posted") return false;
  return agent === undefined || isOfAgent(event, agent);
}

/** Whether an event is told while a run is watched. */
function isToldInPeek(event: JournalEvent, agent: string | undefined): boolean {
  if (isMessageOf(event, agent)) return true;
  if (!TOLD_WHILE_FOLLOWING.has(event.type)) return false;
  return event.type.startsWith("run-") || agent === undefined || isOfAgent(event, agent);
}

/** `troupe peek`: reads the journal and takes nothing. */
export const peekAction: ActionOf<typeof peekCommand> = async (invocation) => {
  const { to, lines = "20", follow, json: isJson } = invocation.options;
  const [operand] = invocation.args;
  if (operand !== undefined && to !== undefined)
    throw usageInvalid({ problem: `the target is named twice: "${operand}" and --to "${to}"` });
  const limit = readCount(lines, "--lines");
  const machine = await openMachine(invocation);
  const { run, agent } = findPeeked(machine, operand ?? to);
  const { settings } = invocation;
  const show = await createView(run, isJson, invocation);
  const peeked = { run, agent, limit };
  const recent = recentMessages(machine, peeked);
  for (const event of recent) show(event, emptyRunState(run, NO_MESSAGES));
  if (isJson && !follow && recent.length >= limit) return EXIT.completed;
  const shownSeq = recent.at(-1)?.seq ?? 0;
  const { state, activity, messages, move } = readWatched(machine, { ...peeked, shownSeq });
  for (const event of messages) show(event, state);
  if (!isJson) {
    const listing = readListing(machine.store, run, machine.isGone);
    const moment = { state, listing, activity, nowMs: machine.clock.now() };
    await writeLines(invocation, nowLines(moment, agent, settings));
  }
  const take = (event: JournalEvent) => {
    const isWanted = isToldInPeek(event, agent);
    move(event);
    if (isWanted) show(event, state);
  };
  if (follow) await followToEnd(machine, { state, take }, invocation);
  return EXIT.completed;
};

// Beyond these a message is so long ago that its run is read only once, from its beginning.
const RECENT_EVENTS = 4096;

/** The last messages, found without the rest of the run; none where fewer than are wanted were posted of late. */
function recentMessages(machine: Machine, { run, agent, limit }: Peeked): readonly JournalEvent[] {
  const found: JournalEvent[] = [];
  let lookedAt = 0;
  for (const event of walkBack(machine, run)) {
    if (found.length === limit || lookedAt === RECENT_EVENTS) break;
    lookedAt += 1;
    if (isMessageOf(event, agent)) found.unshift(event);
  }
  return found.length === limit ? found : [];
}

/** A run as it is by now. */
interface Watched {
  readonly state: RunState;
  readonly activity: ActivityLog;
  /** The last ones, which are to be shown. */
  readonly messages: readonly JournalEvent[];
  /** Takes the next event in. */
  readonly move: (event: JournalEvent) => void;
}

interface Peeked {
  readonly run: string;
  readonly agent: string | undefined;
  /** How many messages are shown. */
  readonly limit: number;
}

interface PartlyShown extends Peeked {
  /** The last message that was shown already; 0 without one. */
  readonly shownSeq: number;
}

function readWatched(machine: Machine, { run, agent, limit, shownSeq }: PartlyShown): Watched {
  const state = emptyRunState(run, NO_MESSAGES);
  const activity = createActivityLog();
  const messages: JournalEvent[] = [];
  const move = (event: JournalEvent) => {
    observeJournal(activity, event);
    fold(state, event);
  };
  for (const event of walkEvents(machine, run)) {
    if (event.seq > shownSeq && isMessageOf(event, agent)) messages.push(event);
    // Not at every message: moving the rest costs as much as there is.
    if (messages.length > 2 * limit + 1000) messages.splice(0, messages.length - limit);
    move(event);
  }
  return { state, activity, messages: messages.slice(Math.max(0, messages.length - limit)), move };
}

/** Who is looked at; without an agent that is meant, the newest run. Raises what resolveTarget raises. */
function findPeeked(machine: Machine, given: string | undefined): Target {
  if (given !== undefined) return resolveTarget(machine, given);
  try {
    return defaultTarget(machine);
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== "RUN_TARGET_MISSING") throw error;
    return resolveTarget(machine, "@last");
  }
}

async function createView(
  run: string,
  isJson: boolean,
  { io, settings }: Invocation,
): Promise<(event: JournalEvent, state: RunState) => void> {
  const write = (line: string) => io.stdout.write(`${line}\n`);
  return isJson
    ? createJsonView({ write, run }).show
    : createPlainView({ write, ...(await plainStyle(settings)) }).show;
}
