import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import type { Json } from "../../foundation/json.ts";

/** What a person decided in the live view, to be told to the run. */
export type LiveDecision =
  | {
      readonly kind: "decide";
      readonly item: InboxItem;
      readonly verdict: "yes" | "no";
      readonly comment: string;
      readonly edited?: Json;
    }
  | { readonly kind: "answer"; readonly item: InboxItem; readonly text: string };

/** The command that makes a decision true. */
export function toRunCommand(decision: LiveDecision): RunCommand {
  const { item } = decision;
  if (decision.kind === "answer")
    return { kind: "answer-question", id: item.id, answer: decision.text };
  const isYes = decision.verdict === "yes";
  const why = decision.comment === "" ? {} : { comment: decision.comment };
  if (item.kind === "permission") {
    const verdict = isYes ? "allowed" : "denied";
    return { kind: "resolve-permission", id: item.id, decision: verdict, ...why };
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
