import type { Message } from "../contracts/message.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../contracts/tool.ts";
import { approvalHash } from "../engine/operations/person-operations.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findMailbox, findTurn } from "../fold/state/agent-lookup.ts";
import { type MessageSource, messageUnder } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { shortId } from "../foundation/ids.ts";
import { present } from "../foundation/present.ts";
import { seededRandom } from "../foundation/random.ts";
import { decisionKey } from "../messaging/ask-person.ts";
import { tooManyApprovals } from "./errors.ts";

// What agents ask people to approve.
// P1: a request is bound to its agent and to the hash of what is shown; only people decide it.
// P2: the decision is a message to the agent. While that is in its inbox, asking for the same again gives the
//     same decision, also in a turn that is started again; once it is acked, asking again asks a person again.

/** Whoever is asked too often stops reading. */
const MAX_OPEN_APPROVALS = 10;

/** Who asks for what. */
export interface Asking extends Omit<ApprovalRequest, "waitMs"> {
  readonly agent: string;
  /** The turn that waits for the decision, if it does. */
  readonly turn?: number;
}

/**
 * The request for exactly this: the one that waits, or whose decision the agent has not acked yet, else a new
 * one. Raises AGENT_TOO_MANY_APPROVALS.
 */
export function openApproval(runtime: RunRuntime, asking: Asking): string {
  const { state } = runtime;
  const { agent, turn, message, show } = asking;
  const hash = approvalHash({ message, ...(show === undefined ? {} : { show }) });
  const approval = findApproval(runtime, agent, hash);
  if (state.resolved.has(approval)) return approval;
  const isOpen = state.inbox.has(approval);
  if (!isOpen) assertFewOpen(state, agent);
  const isWaiting = turn !== undefined && findTurn(state, agent, turn)?.asks.has(approval) !== true;
  if (isOpen && !isWaiting) return approval;
  runtime.append({
    type: "approval-requested",
    approval,
    agent,
    ...(turn === undefined ? {} : { turn }),
    message,
    ...(show === undefined ? {} : { show }),
    hash,
  });
  return approval;
}

/** What is known about a request. */
export function answerOf(state: RunState, approval: string): ApprovalAnswer {
  const resolution = state.resolved.get(approval);
  if (resolution?.kind !== "approval") return { status: "waiting", approval };
  const { decision, by, comment, edited } = resolution;
  return {
    status: decision,
    approval,
    by,
    ...present({ comment, edited }),
  };
}

/** The message that tells the agent about a decision. */
export function replyTo(source: MessageSource, approval: string): Message | undefined {
  return messageUnder(source, decisionKey(source.state, approval));
}

function findApproval(source: MessageSource, agent: string, hash: string): string {
  const { state } = source;
  for (let round = 0; ; round += 1) {
    const seed = `${state.run.seed}:${agent}:${hash}:${round}`;
    const approval = shortId("apr", seededRandom(seed));
    if (isUsable(source, { approval, agent, hash })) return approval;
  }
}

interface Candidate {
  readonly approval: string;
  readonly agent: string;
  readonly hash: string;
}

function isUsable(source: MessageSource, { approval, agent, hash }: Candidate): boolean {
  const { state } = source;
  const item = state.inbox.get(approval);
  // Ids are short: one of something else may happen to be the same.
  if (item !== undefined)
    return item.kind === "approval" && item.agent === agent && item.hash === hash;
  const asker = state.askers.get(approval);
  if (asker !== undefined && asker !== `${agent}:${hash}`) return false;
  if (!state.resolved.has(approval)) return true;
  const reply = replyTo(source, approval);
  return reply !== undefined && findMailbox(state, agent)?.items.has(reply.id) === true;
}

function assertFewOpen(state: RunState, agent: string): void {
  const open = [...state.inbox.values()].filter(
    (item) => item.kind === "approval" && item.agent === agent,
  );
  if (open.length < MAX_OPEN_APPROVALS) return;
  throw tooManyApprovals({ agent, limit: MAX_OPEN_APPROVALS, open: open.map(({ id }) => id) });
}
