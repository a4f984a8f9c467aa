import type { AgentSession, TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import { addUsage, type Usage } from "../../../src/contracts/usage.ts";
import { createTurnRequest } from "../../../src/testing/turn-request.ts";

type End = Extract<TurnUpdate, { readonly type: "stop" | "error" }>;

/** A turn that is over. */
export interface TurnRecord {
  readonly updates: readonly TurnUpdate[];
  /** The last update. */
  readonly end: End;
  /** All deltas as one text. */
  readonly streamed: string;
  /** The sum of what the turn told. */
  readonly usage: Usage;
  readonly durationMs: number;
}

/** A turn that goes on. */
export interface PlayedTurn {
  readonly updates: readonly TurnUpdate[];
  /** The first update of a kind, from the beginning of the turn; rejects when the turn ends without one. */
  seen<Type extends TurnUpdate["type"]>(
    type: Type,
  ): Promise<Extract<TurnUpdate, { readonly type: Type }>>;
  abort(): void;
  readonly over: Promise<TurnRecord>;
}

/** Starts a turn and reads all that it says. */
export function beginTurn(
  session: AgentSession,
  prompt: string,
  parts: Partial<TurnRequest> = {},
): PlayedTurn {
  const controller = new AbortController();
  const request = createTurnRequest({ prompt, ...parts, signal: controller.signal });
  const updates: TurnUpdate[] = [];
  const lookers = new Set<() => void>();
  let isOver = false;
  const look = () => {
    for (const looker of [...lookers]) looker();
  };
  const read = async (): Promise<TurnRecord> => {
    const startedMs = performance.now();
    try {
      for await (const update of session.prompt(request)) {
        updates.push(update);
        look();
      }
    } finally {
      isOver = true;
      look();
    }
    return toRecord(updates, performance.now() - startedMs);
  };
  const over = read();
  // Whoever waits for the end sees its error.
  over.catch(() => {});
  return {
    updates,
    over,
    abort: () => controller.abort(new DOMException("enough", "AbortError")),
    seen: (type) =>
      new Promise((resolve, reject) => {
        const looker = () => {
          const found = updates.find((update) => isOfType(update, type));
          if (found === undefined && !isOver) return;
          lookers.delete(looker);
          if (found !== undefined && isOfType(found, type)) resolve(found);
          else reject(new Error(`the turn ended without ${type}: ${JSON.stringify(updates)}`));
        };
        lookers.add(looker);
        looker();
      }),
  };
}

/** Carries out a whole turn. */
export function takeTurn(
  session: AgentSession,
  prompt: string,
  parts: Partial<TurnRequest> = {},
): Promise<TurnRecord> {
  return beginTurn(session, prompt, parts).over;
}

function toRecord(updates: readonly TurnUpdate[], durationMs: number): TurnRecord {
  const end = updates.at(-1);
  if (!isEnd(end)) throw new Error(`the last update is no end: ${JSON.stringify(end)}`);
  if (updates.filter(isEnd).length > 1) throw new Error("the turn ends more than once");
  return {
    updates,
    end,
    durationMs,
    streamed: updates.map((update) => (update.type === "text-delta" ? update.text : "")).join(""),
    usage: updates.reduce<Usage>(
      (sum, update) => (update.type === "usage" ? addUsage(sum, update.usage) : sum),
      {},
    ),
  };
}

function isEnd(update: TurnUpdate | undefined): update is End {
  return update?.type === "stop" || update?.type === "error";
}

function isOfType<Type extends TurnUpdate["type"]>(
  update: TurnUpdate,
  type: Type,
): update is Extract<TurnUpdate, { readonly type: Type }> {
  return update.type === type;
}
