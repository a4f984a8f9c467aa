import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import { isRecord } from "../../../foundation/json.ts";
import { transcriptsIn } from "../../runs/agent-transcript.ts";
import { type TranscriptLine, Transcripts } from "../../runs/transcripts.ts";

// Owns the files of a run's transcripts, `AGENT.jsonl` and `AGENT.meta.json`: what tools that read such files find.
// F1: they follow the journal, which has all of it. A line is written after its event is durable, and once: what a crash
//     kept from being written is written when the run goes on, and half a line is cut off.
// F2: whoever takes the first event begins with all that is in the journal; a run of agents without transcripts has none.
// F3: a file that cannot be written is no fault of the run: it is completed when the run goes on.

/** Of which run the files are. */
export interface TranscriptPlace {
  readonly run: string;
  /** Absolute: of the run. */
  readonly directory: string;
  readonly journal: Pick<Journal, "read" | "blob">;
}

/** The files of a run's transcripts. */
export class TranscriptFiles {
  readonly #place: TranscriptPlace;
  readonly #opened = new Set<string>();
  readonly #facts = new Map<string, string>();
  #transcripts: Transcripts | undefined;
  #until = 0;
  #isBroken = false;

  constructor(place: TranscriptPlace) {
    this.#place = place;
  }

  /** Writes down what these events tell, which are durable; the first time all that the journal holds. */
  take(events: readonly JournalEvent[]): void {
    if (this.#isBroken) return;
    try {
      this.#write(this.#linesOf(events));
    } catch {
      this.#isBroken = true;
    }
  }

  #linesOf(events: readonly JournalEvent[]): readonly TranscriptLine[] {
    const known = this.#transcripts;
    if (known !== undefined) return this.#advance(known, events);
    const { run, journal, directory } = this.#place;
    mkdirSync(transcriptsIn(directory), { recursive: true, mode: 0o700 });
    this.#transcripts = new Transcripts(run, (ref) => journal.blob(ref));
    return this.#advance(this.#transcripts, journal.read());
  }

  #advance(transcripts: Transcripts, events: Iterable<JournalEvent>): readonly TranscriptLine[] {
    const lines: TranscriptLine[] = [];
    for (const event of events) {
      if (event.seq <= this.#until) continue;
      this.#until = event.seq;
      lines.push(...transcripts.take(event));
    }
    return lines;
  }

  #write(lines: readonly TranscriptLine[]): void {
    for (const [agent, own] of Map.groupBy(lines, (line) => line.agent)) {
      const path = this.#file(agent, "jsonl");
      const last = this.#opened.has(agent) ? undefined : lastIn(path);
      const fresh = own.slice(own.findIndex(({ uuid }) => uuid === last) + 1);
      this.#opened.add(agent);
      if (fresh.length > 0) append(path, fresh.map(({ json }) => `${json}\n`).join(""));
      this.#writeFacts(agent);
    }
  }

  #writeFacts(agent: string): void {
    const text = `${JSON.stringify(this.#transcripts?.facts(agent) ?? {}, null, 2)}\n`;
    if (this.#facts.get(agent) === text) return;
    this.#facts.set(agent, text);
    const file = open(this.#file(agent, "meta.json"), constants.O_TRUNC);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  }

  #file(agent: string, kind: "jsonl" | "meta.json"): string {
    return join(transcriptsIn(this.#place.directory), `${agent}.${kind}`);
  }
}

function append(path: string, text: string): void {
  const file = open(path, constants.O_APPEND);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function open(path: string, how: number): number {
  return openSync(path, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW | how, 0o600);
}

/** The last line of the file by its id; what a crash left of a line after it is cut off. Undefined without any. */
function lastIn(path: string): string | undefined {
  const text = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const end = text.lastIndexOf("\n") + 1;
  if (end < text.length) truncateSync(path, end);
  if (end === 0) return undefined;
  const start = text.subarray(0, end - 1).lastIndexOf("\n") + 1;
  const line: unknown = JSON.parse(text.toString("utf8", start, end));
  const uuid = isRecord(line) ? line["uuid"] : undefined;
  return typeof uuid === "string" ? uuid : undefined;
}
