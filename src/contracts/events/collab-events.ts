import type { ErrorReport } from "../../foundation/errors.ts";
import type { CollabStatusName } from "../collab.ts";

/** What an agent does with those that it spawns. */
export type CollabOperation = "spawn" | "send" | "wait" | "close" | "resume";

/** An agent began something with agents of its own (COL-8). */
export interface CollabBegan {
  readonly type: "collab-began";
  readonly agent: string;
  readonly turn: number;
  /** Names the call; the same when its turn is started again and asks for the same. */
  readonly call: string;
  readonly operation: CollabOperation;
  /** Whom it is about, as far as that is known. */
  readonly agents: readonly string[];
  /** The beginning of what they are told. */
  readonly prompt?: string;
}

/** What it came to. */
export interface CollabEnded {
  readonly type: "collab-ended";
  readonly agent: string;
  readonly turn: number;
  readonly call: string;
  readonly operation: CollabOperation;
  readonly agents: readonly string[];
  /** Their statuses, by id: of `close` those before it. */
  readonly statuses: { readonly [agent: string]: CollabStatusName };
  readonly timedOut: boolean;
  /** Why nothing was done. */
  readonly error?: ErrorReport;
}

export type CollabEvent = CollabBegan | CollabEnded;
