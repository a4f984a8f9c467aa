import type { ApprovalMode } from "../../contracts/run.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { isRecord } from "../../foundation/json.ts";

/**
 * Decides the workflow's approvals as the mode says, those that wait already included. Permissions,
 * questions and what agents want approved are never decided by it. A step that failed and waits to be tried
 * again is approved by the mere fact that somebody resumes the run.
 */
export function decideApprovals(runtime: RunRuntime, mode: ApprovalMode, isResumed: boolean): void {
  const decide = (approval: string, decision: "approved" | "rejected", by: string) =>
    runtime.append({ type: "approval-resolved", approval, decision, by });
  runtime.onAppended((event) => {
    if (event.type !== "approval-requested" || event.purpose === "pause" || mode === "ask") return;
    if (event.agent !== undefined) return;
    if (runtime.state.inbox.has(event.approval))
      decide(event.approval, decisionOf(mode), "--approve");
  });
  runtime.onLive(() => {
    for (const item of [...runtime.state.inbox.values()]) {
      if (item.kind !== "approval" || item.op === undefined) continue;
      if (isPause(runtime, item.op)) {
        if (isResumed) decide(item.id, "approved", "resume");
      } else if (mode !== "ask") decide(item.id, decisionOf(mode), "--approve");
    }
  });
}

function decisionOf(mode: "all" | "none"): "approved" | "rejected" {
  return mode === "all" ? "approved" : "rejected";
}

function isPause(runtime: RunRuntime, op: string): boolean {
  const input = runtime.state.operations.open.get(op)?.input;
  return isRecord(input) && input["purpose"] === "pause";
}
