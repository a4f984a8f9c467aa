import type { KeptRest, SessionFact, SessionRecord } from "../../../contracts/session-record.ts";
import { isJson, toJson } from "../../../foundation/json.ts";
import type { SeenFiles } from "./files/file-access.ts";
import { asForeign, isBeginning, readEntry, type SessionEntry } from "./loop/entry.ts";
import { flatten } from "./loop/next-step.ts";

/** What a session begins with that is not its own. */
export interface Beginning {
  /** The agent whose conversation it was that its record begins with. */
  readonly forkOf?: string | undefined;
  /** A conversation that it was given. */
  readonly before?: readonly SessionEntry[];
}

/**
 * The record of a session as its loop reads it: in memory what the model is shown, in the journal all of it. Whoever does
 * what cannot be undone, or is paid for, waits until it is durable.
 */
export class Transcript {
  readonly #record: SessionRecord | undefined;
  #entries: SessionEntry[];
  /** The agent with whose conversation it begins, until that is written down. */
  readonly #forkOf: string | undefined;

  /** Whether nothing of it was written down before. */
  readonly isNew: boolean;

  /** Without a record nothing outlives this process. */
  constructor(record: SessionRecord | undefined, { forkOf, before = [] }: Beginning = {}) {
    this.#record = record;
    const kept = record?.read(isBeginning) ?? [];
    const entries = kept.flatMap((entry) => readEntry(entry) ?? []);
    const isMarked = flatten(entries).some(({ kind }) => kind === "forked");
    this.#forkOf = isMarked ? undefined : forkOf;
    this.isNew = entries.length === 0;
    const own = ownEntries(entries, forkOf);
    // A compaction holds what is left of it.
    this.#entries = own[0]?.kind === "compacted" ? own : [...before, ...own];
  }

  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  /** What the model was told before everything else when its session began; undefined before that. */
  get system(): string | undefined {
    const said = this.#entries.flatMap((entry) =>
      "system" in entry && entry.system !== undefined ? [entry.system] : [],
    );
    return said.at(-1);
  }

  /** What was seen of files and is still shown to the model. */
  get seen(): SeenFiles {
    const results = flatten(this.#entries).filter((entry) => entry.kind === "result");
    return Object.fromEntries(results.flatMap(({ seen = {} }) => Object.entries(seen)));
  }

  /** The turn that runs. */
  turn = 0;

  /** What a tool of a server said of itself when it was agreed to: its hash. */
  readonly pinOf = (tool: string): string | undefined => {
    const pins = flatten(this.#entries).flatMap((entry) =>
      entry.kind === "pinned" ? [entry.tools] : [],
    );
    return pins.findLast((tools) => Object.hasOwn(tools, tool))?.[tool];
  };

  /** Keeps what tools of servers say of themselves. */
  readonly pin = (tools: { readonly [tool: string]: string }): void => {
    const fact = { type: "session-noted", what: "told" } as const;
    this.add(this.turn, fact, { kind: "pinned", tools: { ...tools } });
  };

  /** See SessionRecord; without a record nothing is kept. */
  readonly keepRest = (text: string): KeptRest | undefined => this.#record?.keepRest(text);

  /** Writes down where the conversation of another agent ends, once. */
  begin(turn: number): void {
    const from = this.#forkOf;
    if (from === undefined || this.#entries.some(({ kind }) => kind === "forked")) return;
    this.add(turn, { type: "session-noted", what: "told" }, { kind: "forked", from });
  }

  /** Resolves once all that was added is durable. */
  async flushed(): Promise<void> {
    await this.#record?.flushed();
  }

  add(turn: number, fact: SessionFact, entry: SessionEntry): void {
    const json = isJson(entry) ? entry : toJson(entry, "an entry of a session");
    const kept = this.#record?.keep(turn, fact, json) ?? json;
    // Reading costs more than all else here, and most are kept as they were given.
    const read = kept === entry ? entry : (readEntry(kept) ?? entry);
    // What a compaction leaves out is in the journal only.
    if (read.kind === "compacted") this.#entries = [read];
    else this.#entries.push(read);
  }
}

/** What was kept by another agent takes none of the names that turns and calls of this one have. */
function ownEntries(entries: readonly SessionEntry[], forkOf: string | undefined): SessionEntry[] {
  if (forkOf === undefined) return [...entries];
  const mark = entries.findIndex(({ kind }) => kind === "forked");
  const isCompacted = mark < 0 && flatten(entries).some(({ kind }) => kind === "forked");
  // Its own compaction has renamed all that is left of the other's.
  if (isCompacted) return [...entries];
  const end = mark < 0 ? entries.length : mark;
  return entries.map((entry, index) => (index < end ? asForeign(entry, forkOf) : entry));
}
