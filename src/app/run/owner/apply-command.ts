import { subjectOf } from "../../../agents/rule-subject.ts";
import type { EventData } from "../../../contracts/events/event.ts";
import type { PermissionGrant } from "../../../contracts/events/request-events.ts";
import type { RunCommand } from "../../../contracts/events/run-events.ts";
import type { SuspendReason } from "../../../contracts/run.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import { findAgent } from "../../../fold/state/agent-lookup.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { findItem } from "../../../fold/waiting.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { toDecision, toReply } from "../../../messaging/ask-person.ts";
import { isPosted, postMessage } from "../../../messaging/post-message.ts";
import { assertCommand } from "../../runs/check-command.ts";
import type { AgentStopper } from "./stop-agents.ts";

/** What a command can move in a run that this process owns. */
export interface CommandTarget {
  readonly runtime: RunRuntime;
  readonly mainChannel: string;
  cancel(reason: string, by: string): void;
  suspend(reason: SuspendReason, exitCode: number): void;
  /** Cuts off what an agent does now. Raises AGENT_UNKNOWN, AGENT_GONE. */
  interrupt(agent: string): void;
  /** Lets an agent begin anew. Raises AGENT_UNKNOWN, AGENT_GONE. */
  restart(agent: string, by: string): void;
  /** Ends one agent, or all of them and with them the run. */
  readonly stopper: AgentStopper;
}

const PAUSED_EXIT_CODE = 3;

/** Carries out a command as the run's owner. Raises what assertCommand and messages raise. */
export function applyCommand(target: CommandTarget, command: RunCommand, by: string): Json {
  const { timers } = target.runtime;
  assertCommand(target.runtime, command, timers.now());
  // These take their time: written down first, they go on after the death of this owner.
  if (command.kind === "release" || command.kind === "stop")
    target.runtime.append({ type: "command-received", command, by });
  return effect(target, command, by);
}

/**
 * Carries out a command that was recorded and checked while nobody owned the run. One that fits no more
 * (its addressee has gone) is told in the log: it must not keep the run from going on.
 */
export function applyRecordedCommand(
  target: CommandTarget,
  { seq, command, by }: RunState["commands"][number],
): void {
  try {
    effect(target, command, by);
  } catch (error) {
    const { message } = toErrorReport(error);
    const text = `what ${by} asked for while nobody ran this run was not carried out: ${message}`;
    target.runtime.append({ type: "log", note: `command#${seq}`, level: "warning", text });
  }
}

function effect(target: CommandTarget, command: RunCommand, by: string): Json {
  const { runtime } = target;
  switch (command.kind) {
    case "resolve-approval":
      decide(target, command, by);
      return null;
    case "resolve-permission": {
      const { kind: _kind, always, ...decision } = command;
      const isGranted = always === true && command.decision === "allowed";
      const grant = isGranted ? grantOf(runtime.state, command.id) : undefined;
      runtime.append({
        type: "permission-resolved",
        ...decision,
        by,
        ...present({ always: grant }),
      });
      return null;
    }
    case "answer-question":
      answer(target, command, by);
      return null;
    case "send": {
      const { kind: _kind, key, ...draft } = command;
      const { mainChannel } = target;
      const { to, channel = mainChannel } = draft;
      const meant = to === undefined ? { ...draft, channel } : draft;
      // The same message again gets its first receipt; another one under its key is refused.
      isPosted(runtime, { from: "user", draft: meant, key });
      return toJson(postMessage(runtime, { from: "user", draft, key, mainChannel }), "a receipt");
    }
    case "record": {
      const { record } = command;
      const note = `record#${runtime.state.lastSeq + 1}`;
      runtime.append({ type: "record-added", note, by, record });
      return null;
    }
    case "cancel":
      target.cancel(command.reason, by);
      return null;
    case "interrupt":
      target.interrupt(command.agent);
      return null;
    case "restart":
      target.restart(command.agent, by);
      return null;
    case "set-model":
    case "set-mode":
    case "compact":
      runtime.append(toAdjustment(runtime.state, command, by));
      return null;
    case "pause":
      target.suspend("paused", PAUSED_EXIT_CODE);
      return null;
    case "unpause":
      return null;
    case "release":
      target.stopper.release(command.agent, command.force === true);
      return null;
    case "stop":
      target.stopper.stop(command.force === true, by);
      return null;
  }
}

/** How an agent works from its next turn on. */
function toAdjustment(
  state: RunState,
  command: Extract<RunCommand, { readonly kind: "set-model" | "set-mode" | "compact" }>,
  by: string,
): EventData {
  const { id = command.agent, lastTurn = 0 } = findAgent(state, command.agent) ?? {};
  switch (command.kind) {
    case "set-model":
      return { type: "agent-model-set", agent: id, by, ...present({ model: command.model }) };
    case "set-mode": {
      const { mode } = command;
      return { type: "agent-mode-set", agent: id, turn: lastTurn, by, ...present({ mode }) };
    }
    case "compact":
      return { type: "compaction-asked", agent: id, by };
  }
}

/** The very same, for the rest of the run. */
function grantOf(state: RunState, id: string): PermissionGrant | undefined {
  const item = findItem(state, id);
  if (item?.kind !== "permission") return undefined;
  const { agent, tool, input } = item;
  const { spec, place } = findAgent(state, agent) ?? {};
  const cwd = place?.directory ?? spec?.cwd ?? state.run.cwd;
  return { agent, tool, texts: subjectOf(input, cwd).texts };
}

/** An agent that asked is told in the same group of events. */
function decide(
  { runtime, mainChannel }: CommandTarget,
  command: Extract<RunCommand, { readonly kind: "resolve-approval" }>,
  by: string,
): void {
  const { kind: _kind, ...decision } = command;
  const told = toDecision(runtime.state, findItem(runtime.state, decision.approval), decision);
  if (told !== undefined) postMessage(runtime, { from: "user", ...told, mainChannel });
  runtime.append({ type: "approval-resolved", ...decision, by });
}

/** The answer and the message that it may be share a group of events, so that neither is without the other. */
function answer(
  { runtime, mainChannel }: CommandTarget,
  { id, answer: given }: Extract<RunCommand, { readonly kind: "answer-question" }>,
  by: string,
): void {
  const text = chosenAnswer(runtime.state, id, given);
  const reply = toReply(runtime, findItem(runtime.state, id), text);
  if (reply !== undefined) postMessage(runtime, { from: "user", ...reply, mainChannel });
  runtime.append({ type: "question-answered", id, answer: text, by });
}

/** What stands under a number, where there is a choice; any other text is an answer of its own. */
function chosenAnswer(state: RunState, id: string, given: string): string {
  const item = findItem(state, id);
  if (item?.kind !== "question" || item.options === undefined) return given;
  const { options, many } = item;
  const parts = (many ? given.split(",") : [given]).map((part) => part.trim());
  const chosen = parts.map((part) => {
    const byNumber = /^\d+$/.test(part) ? options[Number(part) - 1] : undefined;
    return byNumber ?? options.find((option) => option.toLowerCase() === part.toLowerCase());
  });
  const found = chosen.filter((option) => option !== undefined);
  return found.length === parts.length ? found.join(", ") : given;
}
