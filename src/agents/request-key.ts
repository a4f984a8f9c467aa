import { requestId } from "../fold/request-id.ts";
import { isPostedUnder } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { sha256 } from "../foundation/hash.ts";
import { shortId } from "../foundation/ids.ts";
import { canonicalJson, type Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { seededRandom } from "../foundation/random.ts";

/** The name of one request of a turn, by which the same request is recognised when the turn is started again. */
export interface RequestKey {
  readonly key: string;
  /** The last of the same content that is spent; undefined when none is. */
  readonly spent?: string;
  /** The request was carried out: the next one with the same content is another one. */
  use(): void;
}

/** What a turn asks for. `suggest`, `collab` and `program` are made by tools only. */
export type RequestKind =
  | "post"
  | "edit"
  | "suggest"
  | "collab"
  | "program"
  | "permission"
  | "question";

const MARKED_KINDS: ReadonlySet<RequestKind> = new Set(["suggest", "collab", "program"]);

// An agent chooses what is hashed: 64 bits can be made to meet, and then a decision on one thing would serve another.
const HASH_CHARS = 32;
// Those of journals of before, where what was asked for keeps the name that it has.
const OLD_HASH_CHARS = 16;
// Plain numbers and 16 characters are those of journals that earlier versions wrote.
const DEED_PATTERN = /^(.*)\/(?:\d+|(?:[0-9a-f]{16}){1,2}-\d+)$/s;

/** What the journal says of a key. */
interface KnownKeys {
  /** Whether an earlier version has journaled a request under it. */
  isOld(kind: RequestKind, key: string): boolean;
  /** Whether what was decided under it has been used. */
  isSpent(kind: RequestKind, key: string): boolean;
}

/**
 * Names the requests of one turn by their content and, among equal ones, by their order. A turn that is
 * started again is an agent that decides again: its calls may run in parallel, in another order, or say
 * something else. What it repeats is recognised wherever it stands; what it says anew is another request and
 * is neither swallowed nor answered with the receipt of the old one; what it says twice on purpose counts
 * twice. A request that was refused uses no name up, so that trying again keeps the one it had. What holds once
 * only and was used by an attempt before this one is spent: its name serves no other request.
 */
export class RequestKeys {
  readonly #turnKey: string;
  readonly #known: KnownKeys;
  readonly #used = new Map<string, number>();

  constructor(turnKey: string, known: Partial<KnownKeys> = {}) {
    this.#turnKey = turnKey;
    this.#known = { isOld: () => false, isSpent: () => false, ...known };
  }

  /** The key of the next request with this content. */
  of(kind: RequestKind, content: Json): RequestKey {
    const hash = sha256(`${kind}\n${canonicalJson(content)}`).slice(0, HASH_CHARS);
    let order = this.#used.get(hash) ?? 0;
    let spent: string | undefined;
    let key = this.#keyOf(kind, hash, order);
    while (this.#known.isSpent(kind, key)) {
      spent = key;
      order += 1;
      key = this.#keyOf(kind, hash, order);
    }
    return {
      key,
      ...present({ spent }),
      use: () => void this.#used.set(hash, order + 1),
    };
  }

  #keyOf(kind: RequestKind, hash: string, order: number): string {
    const mark = MARKED_KINDS.has(kind) ? `${kind}-` : "";
    const keyOf = (short: string) => `${this.#turnKey}/${mark}${short}-${order}`;
    const old = keyOf(hash.slice(0, OLD_HASH_CHARS));
    return this.#known.isOld(kind, old) ? old : keyOf(hash);
  }
}

/**
 * The key of the turn that made a message or an edit by asking for it; undefined for keys of the engine's own
 * and of what only a tool makes.
 */
export function turnKeyOf(key: string): string | undefined {
  return DEED_PATTERN.exec(key)?.[1];
}

/** Beginnings of the ids of what people decide on. */
const PREFIXES = { permission: "prm", question: "qst" } as const;

/** A request that a person decides on. */
export type AskedKind = keyof typeof PREFIXES;

/** How the inbox names a request. */
export interface AskedId {
  readonly id: string;
  readonly asker: string;
  /** Of the same that was allowed and used before the turn was cut off. */
  readonly spent?: string;
}

/** The id of a request that a turn makes under a key. */
export function askedId(state: RunState, kind: AskedKind, asker: string): AskedId {
  const seed = seedOf(state, asker);
  return { id: requestId(state, { prefix: PREFIXES[kind], asker, seed }), asker };
}

/**
 * Whether a request stands under this key in a journal of before. What was asked then does not say by whom: only
 * earlier versions wrote that.
 */
export function isOfBefore(state: RunState, kind: RequestKind, key: string): boolean {
  if (kind !== "permission" && kind !== "question")
    return isPostedUnder(state, key) || state.documents.revisionByKey.has(key);
  const id = shortId(PREFIXES[kind], seededRandom(seedOf(state, key)));
  return state.askers.has(id) && state.askers.get(id) === undefined;
}

function seedOf({ run }: RunState, key: string): string {
  return `${run.seed}:${key}`;
}
