import type { RefusedRequest } from "../../../contracts/events/run-events.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import type { Timer } from "../../../foundation/clock.ts";

// Owns what is told of requests to a run's doors that were not served.
// R1: the first of a kind is journaled at once; after it at most one event a minute and kind, with their number.
// R2: a kind is a door, a code, an agent of the run and a call, and there are few: whoever sends a million requests
//     makes no more of them.
// R3: none is left out at the end of the run.

/** Counts refused requests, and tells of them in the journal. */
export interface RefusalCount {
  add(refused: RefusedRequest): void;
  /** From here on they are told; those of before at once. */
  follow(runtime: Pick<RunRuntime, "append" | "timers" | "onLive" | "onStopped">): void;
}

const TELL_MS = 60_000;
/** What is called comes from whoever calls; beyond this many kinds it is not told apart. */
const MAX_KINDS = 64;

interface Kind {
  readonly refused: RefusedRequest;
  /** Those that were not told yet. */
  count: number;
  timer: Timer | undefined;
}

/** Counts from zero. */
export function createRefusalCount(): RefusalCount {
  const kinds = new Map<string, Kind>();
  let runtime: Pick<RunRuntime, "append" | "timers"> | undefined;
  const tell = (kind: Kind) => {
    if (runtime === undefined || kind.count === 0) return;
    runtime.append({ type: "requests-refused", ...kind.refused, count: kind.count });
    kind.count = 0;
    kind.timer?.cancel();
    kind.timer = runtime.timers.startTimer(TELL_MS, () => {
      kind.timer = undefined;
      tell(kind);
    });
  };
  const tellLast = (kind: Kind) => {
    tell(kind);
    kind.timer?.cancel();
    kind.timer = undefined;
  };
  return {
    add: (refused) => {
      const kind = kindOf(kinds, refused);
      kind.count += 1;
      if (kind.timer === undefined) tell(kind);
    },
    follow: (followed) => {
      followed.onLive(() => {
        runtime = followed;
        for (const kind of kinds.values()) tell(kind);
      });
      followed.onStopped(async () => {
        for (const kind of kinds.values()) tellLast(kind);
        // What comes now is of a run that is over.
        runtime = undefined;
      });
    },
  };
}

function kindOf(kinds: Map<string, Kind>, refused: RefusedRequest): Kind {
  const { door, code, agent, command } = refused;
  const key = JSON.stringify([door, code, agent, command]);
  const known = kinds.get(key);
  if (known !== undefined) return known;
  if (command !== undefined && kinds.size >= MAX_KINDS) return kindOf(kinds, { door, code });
  const kind = { refused, count: 0, timer: undefined };
  kinds.set(key, kind);
  return kind;
}
