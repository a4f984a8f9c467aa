import type { Timers } from "../engine/ports.ts";
import { type ErrorReport, fromErrorReport } from "../foundation/errors.ts";
import type { BackendSession } from "./backend-session.ts";
import type { PromptQueue } from "./prompt-queue.ts";
import type { PromptItem } from "./turn-prompt.ts";
import type { TurnEnd } from "./turn-settlement.ts";
import type { PlannedTurn } from "./turn-start.ts";

/** The session whose turn is over. */
export interface AfterTurnOptions {
  readonly backend: BackendSession;
  readonly prompts: PromptQueue;
  readonly restarts: RestartBudget;
  /** What a died session means for its turn. */
  readonly onCrash: "resume" | "restart" | "fail";
  /** Whether messages alone are what the session works on. */
  readonly isMessageDriven: boolean;
  readonly isClosing: () => boolean;
  /** Ends the agent: nobody waits for what it was doing. */
  readonly giveUp: (error: ErrorReport) => void;
}

/** What follows a turn: the next session, the prompt that is taken again, the end of an agent that is past help. */
export class AfterTurn {
  readonly #options: AfterTurnOptions;

  constructor(options: AfterTurnOptions) {
    this.#options = options;
  }

  /** Resolves once the session is ready for its next turn. */
  async take(end: TurnEnd, { turn, prompt }: PlannedTurn): Promise<void> {
    const { backend, prompts, isMessageDriven, giveUp } = this.#options;
    switch (end.status) {
      case "settled":
        if (end.isSessionUsable) backend.remember();
        else await this.#replace("replaced", undefined);
        return;
      case "held":
        if (!end.isSessionUsable) await this.#replace("crashed", end.handOver);
        if (prompt !== undefined) prompts.putBack(prompt);
        return;
      case "retaken":
        if (!end.isSessionUsable) await this.#replace("crashed", end.handOver);
        return this.#takeAgain(turn, prompt);
      case "restart":
        await backend.replace({ reason: "replaced", mayResume: false, handOver: end.handOver });
        return this.#takeAgain(turn, prompt);
      case "given-up":
        await backend.replace({ reason: "replaced", mayResume: false, handOver: undefined });
        if (prompt === undefined && isMessageDriven) giveUp(end.error);
        return;
      case "crashed":
        return this.#takeCrash(end, prompt);
    }
  }

  /** What the agent does now differs from what it did before: it must not count as the same requests. */
  #takeAgain(turn: number, prompt: PromptItem | undefined): void {
    if (prompt === undefined) return;
    this.#options.prompts.putBack({ ...prompt, key: `${prompt.key}/after-${turn}` });
  }

  #replace(reason: "crashed" | "replaced", handOver: string | undefined): Promise<void> {
    return this.#options.backend.replace({ reason, mayResume: true, handOver });
  }

  async #takeCrash(
    { error, handOver }: Extract<TurnEnd, { readonly status: "crashed" }>,
    prompt: PromptItem | undefined,
  ): Promise<void> {
    const { backend, prompts, restarts, onCrash, isMessageDriven, giveUp } = this.#options;
    await backend.replace({ reason: "crashed", mayResume: onCrash === "resume", handOver });
    const isClosing = this.#options.isClosing();
    if (prompt === undefined && (!isMessageDriven || isClosing)) return;
    const isGivenUp = onCrash === "fail" || isClosing || !restarts.take();
    if (prompt !== undefined && isGivenUp) prompt.reject(fromErrorReport(error));
    else if (prompt !== undefined) prompts.putBack(prompt);
    else if (isGivenUp) giveUp(error);
  }
}

/** Restarts that a crashing session gets within the period, as Erlang's supervisors count them. */
const INTENSITY = 3;
const PERIOD_MS = 60_000;

/** Counts restarts, so that a session that keeps crashing is given up. */
export class RestartBudget {
  readonly #timers: Timers;
  #restartedMs: number[] = [];

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Uses one restart; false when too many lie within the period. */
  take(): boolean {
    const now = this.#timers.monotonic();
    this.#restartedMs = this.#restartedMs.filter((timeMs) => now - timeMs < PERIOD_MS);
    if (this.#restartedMs.length >= INTENSITY) return false;
    this.#restartedMs.push(now);
    return true;
  }
}
