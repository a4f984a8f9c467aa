import type { ApprovalAnswer, ApprovalRequest } from "../contracts/tool.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { Timer } from "../foundation/clock.ts";
import { takeMessages } from "../messaging/agent-inbox.ts";
import { answerOf, openApproval, replyTo } from "./agent-approvals.ts";
import type { ResolutionWatch } from "./resolution-watch.ts";

/** The turn that asks for approvals, and how it waits. */
export interface ApprovingTurn {
  readonly runtime: RunRuntime;
  readonly resolutions: ResolutionWatch;
  readonly agent: string;
  readonly turn: number;
  /** Waits for a person; rejects when the turn is over or cut off. */
  readonly wait: <Result>(result: Promise<Result>) => Promise<Result>;
}

/** What the calls of one turn ask people to approve. */
export class TurnApprovals {
  readonly #turn: ApprovingTurn;
  /** Calls that wait, by the id of the request. */
  readonly #calls = new Map<string, number>();

  constructor(turn: ApprovingTurn) {
    this.#turn = turn;
  }

  /** Asks, waits at most `waitMs`, and tells what is decided. Raises AGENT_TOO_MANY_APPROVALS, AGENT_NO_TURN. */
  async request({ waitMs, ...shown }: ApprovalRequest): Promise<ApprovalAnswer> {
    const { runtime, agent, turn } = this.#turn;
    const waits = waitMs > 0;
    const approval = openApproval(runtime, { ...shown, agent, ...(waits ? { turn } : {}) });
    if (waits && !this.#isDecided(approval)) await this.#await(approval, waitMs);
    // The call itself tells: the message about the decision need not stand in a prompt.
    const reply = replyTo(runtime, approval);
    if (reply !== undefined) takeMessages(runtime, { agent, turn }, [reply]);
    return answerOf(runtime.state, approval);
  }

  async #await(approval: string, waitMs: number): Promise<void> {
    const { runtime, resolutions, agent, turn, wait } = this.#turn;
    this.#count(approval, 1);
    let timer: Timer | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = runtime.timers.startTimer(waitMs, resolve);
    });
    try {
      await wait(Promise.race([resolutions.of(approval), timeUp]));
    } finally {
      timer?.cancel();
      this.#count(approval, -1);
    }
    if (this.#isDecided(approval) || this.#calls.has(approval)) return;
    runtime.append({ type: "approval-deferred", approval, agent, turn });
  }

  #isDecided(approval: string): boolean {
    return this.#turn.runtime.state.resolved.has(approval);
  }

  #count(approval: string, change: 1 | -1): void {
    const calls = (this.#calls.get(approval) ?? 0) + change;
    if (calls === 0) this.#calls.delete(approval);
    else this.#calls.set(approval, calls);
  }
}
