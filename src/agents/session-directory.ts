import type { StopRequest } from "../contracts/operation.ts";
import type { LiveSession } from "./live-session.ts";

/** Whose session it is, and how long it lasts. */
export interface SessionPlace {
  readonly agent: string;
  /** The scope whose end is the session's; undefined for a kept session. */
  readonly scope: string | undefined;
}

interface SessionEntry extends SessionPlace {
  readonly session: LiveSession;
}

/** The live sessions of a run: by name, by agent and by the scope that they end with. */
export class SessionDirectory {
  readonly #entries = new Map<string, SessionEntry>();
  readonly #byScope = new Map<string, Set<string>>();

  /** The session of a name. */
  find(name: string): LiveSession | undefined {
    return this.#entries.get(name)?.session;
  }

  add(session: LiveSession, place: SessionPlace): void {
    this.#entries.set(session.name, { ...place, session });
    if (place.scope === undefined) return;
    const names = this.#byScope.get(place.scope) ?? new Set();
    names.add(session.name);
    this.#byScope.set(place.scope, names);
  }

  /** All sessions. */
  all(): readonly LiveSession[] {
    return [...this.#entries.values()].map(({ session }) => session);
  }

  /** All sessions of an agent. */
  ofAgent(agent: string): readonly LiveSession[] {
    return [...this.#entries.values()]
      .filter((entry) => entry.agent === agent)
      .map(({ session }) => session);
  }

  /** The sessions that end with a scope; the scope is forgotten. */
  takeScope(path: string): readonly LiveSession[] {
    const names = this.#byScope.get(path);
    if (names === undefined) return [];
    this.#byScope.delete(path);
    return [...names].map((name) => this.find(name)).filter((session) => session !== undefined);
  }

  /** Closes all of these sessions and forgets them. Rejects with an AggregateError of what failed then. */
  async close(sessions: readonly LiveSession[], stop: StopRequest): Promise<void> {
    const closings = sessions.map(async (session) => {
      try {
        await session.close(stop);
      } finally {
        this.#entries.delete(session.name);
      }
    });
    const errors = (await Promise.allSettled(closings)).flatMap((end) =>
      end.status === "rejected" ? [end.reason] : [],
    );
    if (errors.length > 0) throw new AggregateError(errors, "sessions were not closed");
  }
}
