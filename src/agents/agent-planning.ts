import type { ApprovalAnswer } from "../contracts/tool.ts";
import type { PlanAnswer, PlanStep } from "../contracts/turn-client.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import { present } from "../foundation/present.ts";
import type { TurnApprovals } from "./turn-approvals.ts";

// An agent that plans changes nothing (LOOP-14).
// L1: its mode is in the journal, and holds until a person has approved of a plan, whatever dies meanwhile.
// L2: what comes after is no more than it is declared with; one that is declared to plan asks for everything.
// L3: a turn that is started again while a person looks at its plan waits for that same approval.

/** The longest that a timer can wait. */
const FOR_EVER_MS = 2_147_483_647;
const QUESTION = "Go on with this plan?";

/** The turn whose agent plans. */
export interface PlanningTurn {
  readonly runtime: RunRuntime;
  readonly approvals: TurnApprovals;
  readonly agent: string;
  readonly turn: number;
}

/** Carries out a step; to end planning waits for a person. Raises AGENT_TOO_MANY_APPROVALS, AGENT_NO_TURN. */
export async function takePlanStep(turn: PlanningTurn, step: PlanStep): Promise<PlanAnswer> {
  const { runtime, approvals, agent: id } = turn;
  const agent = findAgent(runtime.state, id);
  const mode = agent?.mode ?? agent?.spec.permissionMode;
  if ("enter" in step) {
    if (mode !== "plan") setMode(turn, "plan", "agent");
    return { isApproved: true };
  }
  if (mode !== "plan") return { isApproved: true };
  if (agent?.spec.autoApprovePlanMode === true) {
    leave(turn, { plan: step.plan, by: "autoApprovePlanMode" });
    return { isApproved: true };
  }
  const { status, by, comment } = await decisionOnPlan(approvals, step.plan);
  const isApproved = status === "approved";
  if (isApproved) leave(turn, { plan: step.plan, by });
  return { isApproved, ...present({ comment }) };
}

/** Waits however long a person takes. */
async function decisionOnPlan(
  approvals: TurnApprovals,
  plan: string,
): Promise<Exclude<ApprovalAnswer, { readonly status: "waiting" }>> {
  for (;;) {
    const asked = { message: QUESTION, show: plan, waitMs: FOR_EVER_MS };
    const answer = await approvals.request(asked);
    if (answer.status !== "waiting") return answer;
  }
}

interface ApprovedPlan {
  readonly plan: string;
  readonly by: string;
}

function leave(turn: PlanningTurn, { plan, by }: ApprovedPlan): void {
  const declared = findAgent(turn.runtime.state, turn.agent)?.spec.permissionMode;
  setMode(turn, declared === "plan" ? "ask" : undefined, by);
  tellPlan(turn, plan);
}

const MAX_TOLD_CHARS = 4000;

/** What a later turn is to keep to stands in its prompt once, whatever its session has forgotten by then (TEAM-9). */
function tellPlan({ runtime, agent, turn }: PlanningTurn, plan: string): void {
  const isLong = plan.length > MAX_TOLD_CHARS;
  const shown = isLong ? `${plan.slice(0, MAX_TOLD_CHARS).toWellFormed()}…` : plan;
  // Quoted, so that none of its lines passes for one of Troupe's own.
  const lines = shown.split("\n").map((line) => `> ${line}`);
  const head = "This plan of yours was approved of. Keep to it, or say what has changed:";
  runtime.append({ type: "author-told", agent, turn, text: [head, ...lines].join("\n") });
}

function setMode(
  { runtime, agent, turn }: PlanningTurn,
  mode: "plan" | "ask" | undefined,
  by: string,
): void {
  runtime.append({ type: "agent-mode-set", agent, turn, by, ...present({ mode }) });
}
