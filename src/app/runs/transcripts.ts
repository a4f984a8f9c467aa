import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentSpawned, TurnItem, TurnStarted } from "../../contracts/events/agent-events.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Message } from "../../contracts/message.ts";
import { sha256 } from "../../foundation/hash.ts";
import { isRecord } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { isRecordEvent, type RecordEvent, recordedEntry } from "./recorded-entry.ts";
import { wholeMessage } from "./run-events.ts";
import {
  callNames,
  eventMessage,
  type TranscriptMessage,
  told,
  toTranscriptMessage,
} from "./transcript-message.ts";

// Owns what the transcripts of a run say (LOOP-6, SUB-5). They follow from its journal alone:
// T1: the same events give the same lines, so that whoever writes them down can go on after a crash.
// T2: agents that are models are told by the records of their sessions, subagents of other backends by their events;
//     agents of the workflow on other backends have no transcript here.

/** One line of the transcript of an agent. */
export interface TranscriptLine {
  readonly agent: string;
  /** The same whenever the journal is read. */
  readonly uuid: string;
  /** An object of JSON, without a line break. */
  readonly json: string;
}

/** What is to be known of a transcript beside its lines. */
export interface TranscriptFacts {
  readonly agent: string;
  readonly type?: string;
  readonly description?: string;
  readonly backend: string;
  readonly model?: string;
  readonly isSidechain: boolean;
  readonly parent?: string;
  readonly background?: true;
  /** Absolute. */
  readonly worktree?: string;
  readonly branch?: string;
}

/** An agent as far as its transcript goes. */
interface Teller {
  readonly spec: AgentSpec;
  /** Of its model, and of whoever asked for it where that is somebody. */
  session: string | undefined;
  cwd: string;
  worktree: { readonly path: string; readonly branch: string } | undefined;
  /** Whether its session writes itself down. */
  hasRecord: boolean;
  /** What its turn was told, until it is known who tells of it. */
  begun: TurnStarted | undefined;
  last: string | null;
  readonly calls: Map<string, string>;
}

/** Turns the events of a run, in their order, into the lines of its transcripts. */
export class Transcripts {
  readonly #run: string;
  readonly #textOf: (ref: string) => string | undefined;
  readonly #tellers = new Map<string, Teller>();
  readonly #prompts = new Map<string, string>();
  readonly #messages = new Map<string, string>();
  #cwd = "";

  constructor(run: string, textOf: (ref: string) => string | undefined) {
    this.#run = run;
    this.#textOf = textOf;
  }

  /** The lines of an event. */
  take(event: JournalEvent): readonly TranscriptLine[] {
    this.#note(event);
    if (!("agent" in event) || typeof event.agent !== "string") return [];
    const teller = this.#tellers.get(event.agent);
    if (teller === undefined) return [];
    if (isRecordEvent(event)) return this.#recorded(teller, event);
    if (event.type === "turn-started") {
      teller.session = event.session;
      teller.begun = event;
      return [];
    }
    if (teller.hasRecord || teller.spec.spawnedBy === undefined) return [];
    const message = eventMessage(event);
    if (message === undefined) return [];
    return [...this.#begin(teller, event), message].map((each, index) =>
      this.#line(teller, each, { event, index }),
    );
  }

  /** What is known of an agent's transcript; undefined for one that has none. */
  facts(agent: string): TranscriptFacts | undefined {
    const teller = this.#tellers.get(agent);
    if (teller === undefined || teller.last === null) return undefined;
    const { spec, worktree } = teller;
    return {
      agent,
      backend: spec.backend,
      isSidechain: spec.spawnedBy !== undefined,
      ...present({ type: spec.type, description: spec.name, model: spec.model }),
      ...present({ parent: spec.spawnedBy, worktree: worktree?.path, branch: worktree?.branch }),
      ...(spec.subagent === "background" ? { background: true } : {}),
    };
  }

  #note(event: JournalEvent): void {
    if (event.type === "run-created") this.#cwd = event.cwd;
    else if (event.type === "agent-spawned") this.#spawn(event);
    else if (event.type === "agent-placed") {
      const teller = this.#tellers.get(event.agent);
      if (teller === undefined) return;
      teller.cwd = event.directory;
      teller.worktree = event.worktree;
    } else if (event.type === "operation-scheduled" && event.kind === "turn") {
      const { agent, prompt } = isRecord(event.input) ? event.input : {};
      const isWanted = typeof agent === "string" && this.#tellsByEvents(agent);
      if (isWanted && typeof prompt === "string") this.#prompts.set(event.op, prompt);
    } else if (event.type === "message-posted") this.#noteMessage(event);
  }

  #spawn({ agent, spec }: AgentSpawned): void {
    const before = this.#tellers.get(agent);
    this.#tellers.set(agent, {
      spec,
      session: undefined,
      cwd: spec.cwd ?? this.#cwd,
      worktree: undefined,
      hasRecord: before?.hasRecord ?? false,
      begun: undefined,
      last: before?.last ?? null,
      calls: before?.calls ?? new Map(),
    });
  }

  #noteMessage(event: Extract<JournalEvent, { readonly type: "message-posted" }>): void {
    if (event.to?.some((agent) => this.#tellsByEvents(agent)) !== true) return;
    const { seq, at } = event;
    const message: Message = { ...event, seq, timestamp: new Date(at).toISOString() };
    const { text } = wholeMessage({ blob: this.#textOf }, message);
    this.#messages.set(event.id, `${event.from}: ${text}`);
  }

  #tellsByEvents(agent: string): boolean {
    const teller = this.#tellers.get(agent);
    return teller !== undefined && !teller.hasRecord && teller.spec.spawnedBy !== undefined;
  }

  #recorded(teller: Teller, event: RecordEvent): readonly TranscriptLine[] {
    teller.hasRecord = true;
    teller.begun = undefined;
    const entry = recordedEntry(event, this.#textOf);
    if (entry === undefined) return [];
    for (const [call, id] of callNames(entry)) teller.calls.set(call, id);
    const message = toTranscriptMessage(entry, (call) => teller.calls.get(call) ?? call);
    if (entry.kind === "result") teller.calls.delete(entry.call);
    return message === undefined ? [] : [this.#line(teller, message, { event, index: 0 })];
  }

  /** What the turn was told, once it is known that no record tells it. */
  #begin(teller: Teller, event: JournalEvent): readonly TranscriptMessage[] {
    const { begun } = teller;
    teller.begun = undefined;
    if (begun === undefined || event.type === "turn-started") return [];
    return begun.items.flatMap((item) => {
      const text = this.#textOfItem(item);
      this.#prompts.delete(item.kind === "prompt" ? item.op : item.id);
      return text === undefined ? [] : [told(text)];
    });
  }

  #textOfItem(item: TurnItem): string | undefined {
    return item.kind === "prompt" ? this.#prompts.get(item.op) : this.#messages.get(item.id);
  }

  #line(
    teller: Teller,
    message: TranscriptMessage,
    { event, index }: { readonly event: JournalEvent; readonly index: number },
  ): TranscriptLine {
    const { spec, cwd, last } = teller;
    const uuid = toUuid(sha256(`${this.#run}/${spec.id}/${event.seq}/${index}`));
    const asker = spec.spawnedBy === undefined ? teller : this.#tellers.get(spec.spawnedBy);
    const usage = event.type === "model-called" ? event.usage : undefined;
    const line = {
      ...message,
      uuid,
      parentUuid: last,
      isSidechain: spec.spawnedBy !== undefined,
      agentId: spec.id,
      sessionId: `${this.#run}/${asker?.session ?? spec.spawnedBy ?? spec.id}`,
      cwd,
      timestamp: new Date(event.at).toISOString(),
      ...present({ usage }),
    };
    teller.last = uuid;
    return { agent: spec.id, uuid, json: JSON.stringify(line) };
  }
}

function toUuid(hash: string): string {
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
