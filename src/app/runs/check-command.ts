import { agentGone, agentUnknown } from "../../agents/errors.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import { itemResolved, itemUnknown, runOver } from "../../engine/errors.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { InboxResolution } from "../../fold/state/inbox-state.ts";
import type { MessageSource } from "../../fold/state/message-source.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { findItem, isOver, waitingItems } from "../../fold/waiting.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { toDecision, toReply } from "../../messaging/ask-person.ts";
import { messageKeyReused } from "../../messaging/errors.ts";
import { assertPostable, isPosted } from "../../messaging/post-message.ts";
import { itemChanged, itemExpired, recordTooLate, runHasParent } from "./errors.ts";

// Whoever is too late wants to know what was said, not to read it all.
const MAX_ANSWER_CHARS = 100;

/**
 * Whether a command can take effect in a run at a time, by its fold alone, so that owner and bystander say
 * the same. Raises ENGINE_RUN_OVER, RUN_RECORD_TOO_LATE, ENGINE_ITEM_UNKNOWN, ENGINE_ITEM_RESOLVED, RUN_ITEM_CHANGED,
 * RUN_ITEM_EXPIRED, for what is about an agent AGENT_UNKNOWN and AGENT_GONE, and for a message AGENT_GONE, MESSAGE_KEY_REUSED and what
 * posting raises.
 */
export function assertCommand(source: MessageSource, command: RunCommand, nowMs: number): void {
  const { state } = source;
  const run = state.run.id;
  // Sent again under its key: what it was to cause has been caused, whatever became of the run since.
  if (command.kind === "send") {
    if (isPosted(source, { from: "user", draft: command, key: command.key })) return;
    assertKeyFree(state, command);
  }
  const item = itemOf(command);
  const earlier = item === undefined ? undefined : decisionOn(state, item.id);
  // Who decided at the same moment learns what counts, also when that ended the run.
  if (item !== undefined && earlier !== undefined) throw itemResolved({ id: item.id, ...earlier });
  if (isOver(state) && state.phase.status === "ended") {
    const { outcome } = state.phase;
    throw command.kind === "record" ? recordTooLate({ run, outcome }) : runOver({ run, outcome });
  }
  const { parent } = state.run;
  if (command.kind === "pause" && parent !== undefined)
    throw runHasParent({ run, parent: parent.run, root: parent.run, command: "pause" });
  if (command.kind === "send") assertSendable(state, command);
  if ("agent" in command) assertLive(state, command.agent);
  if (item === undefined) return;
  const waiting = waitingItems(state).find((candidate) => candidate.id === item.id);
  if (waiting?.kind !== item.kind) throw itemUnknown({ run, id: item.id, kind: item.kind });
  assertInTime(state, item.id, nowMs);
  if (command.kind === "resolve-approval") {
    assertSeen(state, command);
    const told = toDecision(state, findItem(state, item.id), command);
    if (told !== undefined) assertPostable(state, "user", told.draft);
  }
  if (command.kind === "answer-question") {
    const reply = toReply(source, findItem(state, item.id), command.answer);
    if (reply !== undefined) assertPostable(state, "user", reply.draft);
  }
}

/** What was recorded while nobody ran the run is not posted yet. Raises MESSAGE_KEY_REUSED. */
function assertKeyFree(
  state: RunState,
  { key, text, to, channel }: Extract<RunCommand, { readonly kind: "send" }>,
): void {
  for (const { seq, command } of state.commands) {
    if (command.kind !== "send" || command.key !== key) continue;
    const same = [command.text === text, command.channel === channel, `${command.to}` === `${to}`];
    if (same.includes(false)) throw messageKeyReused({ key, id: `command ${seq}` });
  }
}

/** Who decided on an item, how and when; undefined while nobody has. */
export function decisionOn(state: RunState, id: string): Decided | undefined {
  const resolution = state.resolved.get(id);
  if (resolution !== undefined) {
    const { by, at } = resolution;
    return { decision: wordFor(resolution), by, at: toIsoTime(at) };
  }
  const recorded = state.commands.find(({ command }) => itemOf(command)?.id === id);
  if (recorded === undefined) return undefined;
  const { command, by, at } = recorded;
  return { decision: decisionOf(command), by, at: toIsoTime(at) };
}

/** A decision that was made before. */
export interface Decided {
  readonly decision: string;
  readonly by: string;
  /** ISO time. */
  readonly at: string;
}

/** Raises AGENT_UNKNOWN, AGENT_GONE. */
function assertLive(state: RunState, id: string): void {
  const agent = findAgent(state, id);
  if (agent === undefined) throw agentUnknown({ agent: id, known: [...state.agents.keys()] });
  if (agent.exit !== undefined) throw agentGone({ agent: agent.id, reason: agent.exit.reason });
}

/** A message needs somebody who can still read it. Raises AGENT_GONE and what posting raises. */
function assertSendable(
  state: RunState,
  command: Extract<RunCommand, { readonly kind: "send" }>,
): void {
  const addressees = assertPostable(state, "user", command) ?? [];
  const gone = addressees.map((id) => findAgent(state, id)).filter((agent) => agent?.exit);
  const [first] = gone;
  if (first !== undefined && gone.length === addressees.length)
    throw agentGone({ agent: first.id, reason: first.exit?.reason ?? "exited" });
}

/** A decision counts for as long as it was asked for (P14). */
function assertInTime(state: RunState, id: string, nowMs: number): void {
  const item = findItem(state, id);
  if (item === undefined || item.kind === "question") return;
  const { expiresAt } = item;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)
    throw itemExpired({ run: state.run.id, id, expiresAt });
}

/** A decision counts for what was shown (P14). */
function assertSeen(
  state: RunState,
  { approval, hash }: Extract<RunCommand, { readonly kind: "resolve-approval" }>,
): void {
  const item = findItem(state, approval);
  if (item?.kind !== "approval" || hash === undefined || hash === item.hash) return;
  throw itemChanged({ run: state.run.id, id: approval, seen: hash, current: item.hash });
}

/** The item that a command decides; undefined for commands that decide none. */
export function itemOf(
  command: RunCommand,
): { readonly id: string; readonly kind: "approval" | "permission" | "question" } | undefined {
  switch (command.kind) {
    case "resolve-approval":
      return { id: command.approval, kind: "approval" };
    case "resolve-permission":
      return { id: command.id, kind: "permission" };
    case "answer-question":
      return { id: command.id, kind: "question" };
    default:
      return undefined;
  }
}

function decisionOf(command: RunCommand): string {
  return "decision" in command ? command.decision : "answered";
}

function wordFor(resolution: InboxResolution): string {
  if (resolution.kind !== "question") return resolution.decision;
  const { answer } = resolution;
  const isLong = answer.length > MAX_ANSWER_CHARS;
  return `"${isLong ? `${answer.slice(0, MAX_ANSWER_CHARS).toWellFormed()}…` : answer}"`;
}
