import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { ItemVerdict, LiveEffect } from "../view/live/press-key.ts";
import type { Purpose } from "../view/live/view-state.ts";

/** What a person can do to the run from the live view. */
export type LiveAction = Extract<LiveEffect, { kind: "decide" | "answer" | "send" | "pause" }>;

/** What actions work with. */
export interface LiveActionsOptions {
  /** Carries a command out; `item` is what it decides. */
  readonly command: (command: RunCommand, item?: InboxItem) => Promise<unknown>;
  readonly newKey: () => string;
  /** Says what became of an action. */
  readonly notify: (text: string) => void;
  /** Gives a text that did not arrive back to whoever wrote it. */
  readonly giveBack: (purpose: Purpose, text: string) => void;
}

/** Tells the run what a person wants of it. */
export interface LiveActions {
  /** Ids of items whose decision was given to the run and not refused. */
  readonly sent: ReadonlySet<string>;
  /** Resolves when the run has taken or refused it; never rejects. */
  take(action: LiveAction): Promise<void>;
}

type Decision = Extract<LiveAction, { kind: "decide" | "answer" }>;

/** Actions on a run; one that is refused is said and undone. */
export function createLiveActions(options: LiveActionsOptions): LiveActions {
  const { newKey, notify, giveBack } = options;
  const sent = new Set<string>();
  const tell = async (command: RunCommand, undo: () => void = () => {}, item?: InboxItem) => {
    try {
      await options.command(command, item);
      return true;
    } catch (error) {
      undo();
      const { message, code } = toErrorReport(error);
      notify(`${message} [${code}]`);
      return false;
    }
  };
  const decide = async (decision: Decision) => {
    const { item } = decision;
    sent.add(item.id);
    const undo = () => {
      sent.delete(item.id);
      if (decision.kind === "answer") giveBack({ kind: "answer", item }, decision.text);
      else if (decision.comment !== "") {
        const kind = decision.verdict === "no" ? "reject" : "approve";
        giveBack({ kind, item }, decision.comment);
      }
    };
    await tell(toRunCommand(decision), undo, item);
  };
  const send = async (agent: string, text: string) => {
    const command = { kind: "send", text, to: [agent], key: newKey() } as const;
    if (await tell(command, () => giveBack({ kind: "message", agent }, text)))
      notify(`sent to @${agent}`);
  };
  return {
    sent,
    take: async (action) => {
      if (action.kind === "send") await send(action.agent, action.text);
      else if (action.kind === "pause") await tell({ kind: "pause" });
      else await decide(action);
    },
  };
}

/** What a person decided in the live view, to be told to the run. */
type LiveDecision =
  | {
      readonly kind: "decide";
      readonly item: InboxItem;
      readonly verdict: ItemVerdict;
      readonly comment: string;
      readonly edited?: Json;
    }
  | { readonly kind: "answer"; readonly item: InboxItem; readonly text: string };

/** The command that makes a decision true. */
function toRunCommand(decision: LiveDecision): RunCommand {
  const { item } = decision;
  if (decision.kind === "answer")
    return { kind: "answer-question", id: item.id, answer: decision.text };
  const isYes = decision.verdict !== "no";
  const why = decision.comment === "" ? {} : { comment: decision.comment };
  if (item.kind === "permission") {
    const verdict = isYes ? "allowed" : "denied";
    const granted = decision.verdict === "always" ? { always: true as const } : {};
    return { kind: "resolve-permission", id: item.id, decision: verdict, ...granted, ...why };
  }
  const verdict = isYes ? "approved" : "rejected";
  const edited = decision.edited === undefined ? {} : { edited: decision.edited };
  const seen = item.kind === "approval" ? { hash: item.hash } : {};
  return {
    kind: "resolve-approval",
    approval: item.id,
    decision: verdict,
    ...seen,
    ...edited,
    ...why,
  };
}
