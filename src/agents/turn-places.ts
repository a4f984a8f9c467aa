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

/** What a turn holds while it runs. */
export interface TakenPlace {
  /** Absent when nobody knows which account pays. */
  readonly account: AccountTurn | undefined;
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
    const { backend, ports } = this.#options;
    // Whoever waits for a person for days must not keep others from working.
    const slot = backend.isPerson === true ? undefined : ports.means.slots(backend.name);
    for (;;) {
      await slot?.acquire(signal);
      const gate = this.#findGate();
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
