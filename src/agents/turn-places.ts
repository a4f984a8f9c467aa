import type { AgentBackend } from "../contracts/backend.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import type { AccountGate, AccountTurn } from "./governor/rate-governor.ts";
import { sessionEnv } from "./session-env.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Whose turns need places. */
export interface TurnPlacesOptions {
  readonly agent: AgentState;
  readonly backend: AgentBackend;
  readonly ports: SessionPorts;
}

/** Places that are held now. */
interface HeldPlace {
  readonly account: AccountTurn | undefined;
  release(): void;
}

/** What a turn holds while it works. */
export interface TakenPlace {
  /** Absent when nobody knows which account pays. */
  readonly account: AccountTurn | undefined;
  /**
   * Gives the places to others while the turn waits for them, and takes them again before it goes on: when the last
   * of several waits is over, or what the turn still waits for could be waiting for its place. Rejects as `wait`
   * does, and with the signal's reason.
   */
  leaveDuring<Result>(wait: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** The turn is over. */
  release(): void;
}

/** The places that the turns of a session need: one of its backend and this machine, and one of its account. */
export class TurnPlaces {
  readonly #options: TurnPlacesOptions;
  #gate: AccountGate | undefined;
  #toldUntilMs = 0;

  constructor(options: TurnPlacesOptions) {
    this.#options = options;
  }

  /** Takes the places of one turn; waits for them. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<TakenPlace> {
    return new LeavablePlace(await this.#hold(signal), (again) => this.#hold(again));
  }

  async #hold(signal: AbortSignal): Promise<HeldPlace> {
    const { backend, ports } = this.#options;
    // Whoever waits for a person for days must not keep others from working.
    const slot = backend.isPerson === true ? undefined : ports.means.slots(backend.name);
    const gate = this.#findGate();
    // Other processes see who holds these: what the turn is of comes first (I1).
    if (slot?.isShared === true || gate !== undefined) await ports.runtime.flushed();
    for (;;) {
      await slot?.acquire(signal);
      if (gate === undefined) return { account: undefined, release: () => slot?.release() };
      const entry = gate.tryEnter();
      if (entry.status === "entered") {
        const { turn } = entry;
        const release = () => {
          turn.leave();
          slot?.release();
        };
        return { account: turn, release };
      }
      // Others, of other accounts, may work meanwhile.
      slot?.release();
      if (entry.status === "cooling") this.#tell(gate.label, entry.untilMs);
      await gate.whenRoom(signal);
    }
  }

  #findGate(): AccountGate | undefined {
    const { agent, backend, ports } = this.#options;
    const { host, means } = ports;
    const { governor } = means;
    if (governor === undefined || backend.account === undefined) return undefined;
    const { spec } = agent;
    this.#gate ??= governor.account(
      backend.account({ spec, env: sessionEnv({ spec, backend, host }) }),
    );
    return this.#gate;
  }

  #tell(label: string, untilMs: number): void {
    if (untilMs <= this.#toldUntilMs) return;
    this.#toldUntilMs = untilMs;
    const { agent, ports } = this.#options;
    const status = agent.turns.size > 0 ? "working" : "idle";
    const reason = `waits for ${label}: rate limit until ${toIsoTime(untilMs)}`;
    ports.runtime.append({ type: "agent-status", agent: agent.id, status, reason });
  }
}

/** The places of a turn, which it leaves while it waits. */
class LeavablePlace implements TakenPlace {
  readonly account: AccountTurn | undefined;
  readonly #takeAgain: (signal: AbortSignal) => Promise<HeldPlace>;
  /** Made for the first wait: most turns have none. */
  #over: AbortController | undefined;
  #isOver = false;
  #held: HeldPlace | undefined;
  #account: AccountTurn | undefined;
  #waits = 0;
  #taking: Promise<void> | undefined;

  constructor(held: HeldPlace, takeAgain: (signal: AbortSignal) => Promise<HeldPlace>) {
    this.#held = held;
    this.#account = held.account;
    this.#takeAgain = takeAgain;
    this.account = held.account === undefined ? undefined : this.#follow();
  }

  async leaveDuring<Result>(wait: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#waits += 1;
    this.#over ??= new AbortController();
    if (this.#isOver) this.#over.abort();
    this.#leave();
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      const working = AbortSignal.any([signal, this.#over.signal]);
      if (this.#waits === 0 && !working.aborted) await this.#take(working);
    }
  }

  release(): void {
    this.#isOver = true;
    this.#over?.abort();
    this.#leave();
  }

  #leave(): void {
    this.#held?.release();
    this.#held = undefined;
  }

  /** Several calls that go on at the same time take one place. */
  async #take(signal: AbortSignal): Promise<void> {
    if (this.#held !== undefined) return;
    this.#taking ??= this.#takeAgain(signal)
      .then((held) => {
        this.#held = held;
        this.#account = held.account;
        // Another call has begun to wait meanwhile, or the turn is over.
        if (this.#waits > 0 || signal.aborted) this.#leave();
      })
      .finally(() => {
        this.#taking = undefined;
      });
    await this.#taking;
  }

  /** The turn as its account sees it, whichever entry is its last. */
  #follow(): AccountTurn {
    return {
      slowDown: (retryAfterMs) => this.#account?.slowDown(retryAfterMs),
      speedUp: () => this.#account?.speedUp(),
      leave: () => this.#account?.leave(),
    };
  }
}
