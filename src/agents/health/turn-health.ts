import { type AgentSession, isThrottling, type TurnUpdate } from "../../contracts/backend.ts";
import type { NudgeRung } from "../../contracts/events/agent-events.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import type { AgentState, Nudge } from "../../fold/state/agent-state.ts";
import { HealthWatch, type Observation, tellObservation } from "./health-watch.ts";

/** Why a turn is told to end that seems stuck; `overloaded`: its provider is why, and everybody waits. */
export type HealthStop = StuckStop | { readonly kind: "overloaded"; readonly observation: string };

/** A turn that is cut off, and what follows. */
export interface StuckStop {
  readonly kind: "stuck";
  readonly rung: Exclude<NudgeRung, "nudge">;
  readonly observation: string;
}

/** The turn that is looked after. */
export interface TurnHealthOptions {
  readonly runtime: RunRuntime;
  readonly agent: AgentState;
  /** Name of its session. */
  readonly session: string;
  readonly turn: number;
  readonly idleTimeoutMs: number;
  readonly isPatientTool: (tool: string) => boolean;
  readonly stop: (stop: HealthStop) => void;
}

/** Looks after one turn: what seems stuck is talked to, then cut off, then restarted, then given up (AGT-8). */
export class TurnHealth {
  readonly #options: TurnHealthOptions;
  readonly #watch: HealthWatch;
  #steer: AgentSession["steer"];
  #isStuck = false;
  #isOver = false;

  constructor(options: TurnHealthOptions) {
    this.#options = options;
    this.#watch = new HealthWatch({
      ...options,
      timers: options.runtime.timers,
      onObservation: (observation) => this.#heed(observation),
    });
  }

  /** The session whose turn it is, once that is open. */
  follow(session: AgentSession): void {
    this.#steer = session.steer?.bind(session);
  }

  /** Takes an update of the turn in. */
  take(update: TurnUpdate): void {
    if (this.#isOver) return;
    if (this.#isStuck && update.type !== "retrying") {
      this.#isStuck = false;
      const { runtime, agent } = this.#options;
      runtime.append({ type: "agent-status", agent: agent.id, status: "working" });
    }
    this.#watch.take(update);
  }

  /** Runs `wait`, during which the turn is not stuck. */
  standDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#watch.standDuring(wait);
  }

  /** The turn is over, or about to be. */
  end(): void {
    this.#isOver = true;
    this.#watch.stop();
  }

  #heed(observation: Observation): void {
    const text = tellObservation(observation);
    const { stop } = this.#options;
    if (observation.kind !== "retrying") this.#climb(text);
    else if (isThrottling(observation.reason)) stop({ kind: "overloaded", observation: text });
    // Asking again is what its program does already.
    else
      this.#journal("fail", text, () => stop({ kind: "stuck", rung: "fail", observation: text }));
  }

  /** Does more about it than the last time. */
  #climb(observation: string): void {
    const { runtime, agent, session, idleTimeoutMs, stop } = this.#options;
    const steer = this.#steer;
    const rung = nextRung({
      nudges: agent.nudges.get(session) ?? [],
      canSteer: steer !== undefined,
      nowMs: runtime.timers.now(),
      idleTimeoutMs,
    });
    this.#journal(rung, observation, () => {
      if (rung !== "nudge") stop({ kind: "stuck", rung, observation });
      else this.#nudge(steer, observation);
    });
  }

  #nudge(steer: AgentSession["steer"], observation: string): void {
    const goOn = () => {
      if (!this.#isOver) this.#climb(observation);
    };
    // Whoever cannot be talked to is cut off; that is no failure of the run.
    steer?.(nudgeText(observation)).then((isTaken) => isTaken || goOn(), goOn);
  }

  /** Durable before it is done (I1). */
  #journal(rung: NudgeRung, observation: string, act: () => void): void {
    const { runtime, agent, session, turn } = this.#options;
    const at = { agent: agent.id, turn, session };
    if (!this.#isStuck)
      runtime.append({
        type: "agent-status",
        agent: agent.id,
        status: "stuck",
        reason: observation,
      });
    this.#isStuck = true;
    runtime.append({ type: "agent-nudged", ...at, rung, observation });
    runtime.whenDurable(() => {
      if (!this.#isOver) act();
    });
  }
}

const RUNGS: readonly NudgeRung[] = ["nudge", "interrupt", "restart", "fail"];

/** What was done so many idle timeouts ago has helped. */
const REMEMBERED_TIMEOUTS = 6;

/** Where on the ladder a session is. */
interface LadderPlace {
  /** What was done about it so far, oldest first. */
  readonly nudges: readonly Nudge[];
  /** Whether its turn can be talked to. */
  readonly canSteer: boolean;
  readonly nowMs: number;
  readonly idleTimeoutMs: number;
}

/** What is done next about a session that seems stuck: more than the last time, unless that was long ago. */
export function nextRung({ nudges, canSteer, nowMs, idleTimeoutMs }: LadderPlace): NudgeRung {
  const last = nudges.at(-1);
  const isRecent = last !== undefined && nowMs - last.at < REMEMBERED_TIMEOUTS * idleTimeoutMs;
  const index = isRecent ? RUNGS.indexOf(last.rung) + 1 : 0;
  const rung = RUNGS[index] ?? "fail";
  return rung === "nudge" && !canSteer ? "interrupt" : rung;
}

/** What is told to whom a turn seems stuck, while it runs. */
function nudgeText(observation: string): string {
  return [
    `[troupe] You seem stuck: ${observation}.`,
    "Say in a sentence where you are, then go on; if something does not work, try another way.",
  ].join(" ");
}

/**
 * What an agent is told before its next turn: that the last one was cut off because it seemed stuck, and, when
 * its session has no memory of it, what that one had done. Undefined when there is nothing to tell.
 */
export function healthNotice(
  { nudges, handOvers }: AgentState,
  session: string,
  hasMemory: boolean,
): string | undefined {
  const cut = nudges.get(session)?.findLast(({ rung }) => rung !== "nudge");
  const handOver = hasMemory ? undefined : handOvers.get(session);
  const parts = [
    ...(cut === undefined ? [] : [cutText(cut.observation)]),
    ...(handOver === undefined ? [] : [handOverText(handOver)]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

function cutText(observation: string): string {
  return [
    `[troupe] Your last turn was cut off because you seemed stuck: ${observation}.`,
    "Here is your task again. Look at what is done already, and do not try the same once more.",
  ].join(" ");
}

function handOverText(handOver: string): string {
  return [
    "[troupe] You take over from a session that was lost and of which you remember nothing. Look at what is done already before you do it again.",
    handOver,
  ].join("\n");
}
