import type { EventData, EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import { isRecord } from "../../../foundation/json.ts";
import { namedFiles } from "../../../foundation/named-files.ts";
import { editsOfCall } from "./file-edits.ts";
import type {
  AttemptSpan,
  CheckResult,
  Period,
  Revision,
  SpanEnd,
  TurnSpan,
  WaitSpan,
} from "./spans.ts";

/** What the state of a run forgets as it goes on: all that took time or was replaced, in the order of events. */
export interface RunHistory {
  readonly turns: readonly TurnSpan[];
  readonly attempts: readonly AttemptSpan[];
  readonly waits: readonly WaitSpan[];
  readonly checks: readonly CheckResult[];
  readonly revisions: readonly Revision[];
  /** Positions at which barriers opened, by id. */
  readonly barriers: ReadonlyMap<string, number>;
}

/** The barriers that are open after `position` events. */
export function openedBarriers({ barriers }: RunHistory, position: number): ReadonlySet<string> {
  return new Set([...barriers].flatMap(([id, at]) => (at <= position ? [id] : [])));
}

/** For each event, whether a turn was running when it came. */
export function busyBefore({ turns }: RunHistory, eventCount: number): readonly boolean[] {
  const changes = Array.from({ length: eventCount + 2 }, () => 0);
  for (const { position, endPosition = eventCount + 1 } of turns) {
    changes[position] = (changes[position] ?? 0) + 1;
    changes[endPosition] = (changes[endPosition] ?? 0) - 1;
  }
  let running = 0;
  return Array.from({ length: eventCount }, (_, index) => {
    running += changes[index] ?? 0;
    return running > 0;
  });
}

/** Reads the history of a run from all of its events; `isLeft`: no process carries it out any more. */
export function readHistory(events: readonly JournalEvent[], isLeft = false): RunHistory {
  const reading: Reading = {
    turns: [],
    attempts: [],
    waits: [],
    checks: [],
    revisions: [],
    barriers: new Map(),
    openTurns: new Map(),
    openAttempts: new Map(),
    openWaits: new Map(),
    prompts: new Map(),
    documents: new Map(),
  };
  for (const [index, event] of events.entries()) take(reading, event, index + 1);
  const last = events.at(-1);
  if (isLeft && last !== undefined)
    for (const span of [...reading.openTurns.values(), ...reading.openAttempts.values()])
      Object.assign(span, { ...close(last, events.length), end: "interrupted" });
  return reading;
}

interface Reading extends RunHistory {
  readonly turns: TurnSpan[];
  readonly attempts: AttemptSpan[];
  readonly waits: WaitSpan[];
  readonly checks: CheckResult[];
  readonly revisions: Revision[];
  readonly barriers: Map<string, number>;
  /** By agent and number. */
  readonly openTurns: Map<string, TurnSpan>;
  /** By path. */
  readonly openAttempts: Map<string, AttemptSpan>;
  /** By id of the item; `turn` is that of the agent that asks. */
  readonly openWaits: Map<string, { readonly span: WaitSpan; readonly owner: string }>;
  /** Prompts by operation. */
  readonly prompts: Map<string, string>;
  readonly documents: Map<string, string>;
}

type Readers = {
  readonly [Type in EventData["type"]]?: (
    reading: Reading,
    event: EventOf<Type>,
    position: number,
  ) => void;
};

const READERS: Readers = {
  "operation-scheduled": ({ prompts }, { op, kind, input }) => {
    if (kind !== "turn" || !isRecord(input)) return;
    const { prompt } = input;
    if (typeof prompt === "string") prompts.set(op, prompt);
  },
  "operation-settled": (reading, event, position) =>
    closeWaits(reading, event.op, close(event, position)),
  "turn-started": (reading, event, position) => {
    const key = turnKey(event);
    endTurn(reading, key, { ...close(event, position), end: "interrupted" });
    const { agent, turn, attempt, step, items } = event;
    const prompts = items.flatMap((item) => {
      const prompt = item.kind === "prompt" ? reading.prompts.get(item.op) : undefined;
      return prompt === undefined ? [] : [prompt];
    });
    const span: TurnSpan = {
      ...open(event, position),
      agent,
      turn,
      attempt,
      step: step?.path,
      prompt: prompts.length === 0 ? undefined : prompts.join("\n\n"),
      detail: undefined,
      text: undefined,
      usage: undefined,
      tools: 0,
      edits: [],
      files: [],
    };
    reading.turns.push(span);
    reading.openTurns.set(key, span);
  },
  "tool-called": (reading, event, position) => {
    const turn = reading.openTurns.get(turnKey(event));
    if (turn === undefined) return;
    turn.tools += 1;
    turn.edits.push(...editsOfCall(event, position));
  },
  "tool-returned": (reading, event) => {
    if (!event.isError) return;
    const edits = reading.openTurns.get(turnKey(event))?.edits ?? [];
    for (const edit of edits) if (edit.call === event.call) edit.isFailed = true;
  },
  "file-changed": (reading, event) => {
    reading.openTurns.get(turnKey(event))?.files.push(event.path);
  },
  "turn-completed": (reading, event, position) => {
    const { text, usage, stopReason } = event;
    const detail = stopReason === "end_turn" ? undefined : stopReason;
    endTurn(reading, turnKey(event), { ...close(event, position), text, usage, detail });
  },
  "turn-failed": (reading, event, position) => {
    const { text, usage, error } = event;
    const detail = `${error.message} [${error.code}]`;
    endTurn(reading, turnKey(event), {
      ...close(event, position),
      end: "failed",
      text,
      usage,
      detail,
    });
  },
  "turn-interrupted": (reading, event, position) => {
    const { reason: detail, usage } = event;
    endTurn(reading, turnKey(event), {
      ...close(event, position),
      end: "interrupted",
      usage,
      detail,
    });
  },
  "step-started": (reading, event, position) => {
    endAttempt(reading, event.path, { ...close(event, position), end: "interrupted" });
    const { path, execution, attempt, agent } = event;
    const span = { ...open(event, position), path, execution, attempt, agent, error: undefined };
    reading.attempts.push(span);
    reading.openAttempts.set(path, span);
  },
  "step-retrying": (reading, event, position) => {
    const { error } = event;
    endAttempt(reading, event.path, { ...close(event, position), end: "failed", error });
  },
  "step-completed": (reading, event, position) =>
    endAttempt(reading, event.path, close(event, position)),
  "step-failed": (reading, event, position) => {
    const { error } = event;
    endAttempt(reading, event.path, { ...close(event, position), end: "failed", error });
  },
  "step-cancelled": (reading, event, position) =>
    endAttempt(reading, event.path, { ...close(event, position), end: "interrupted" }),
  "verification-passed": ({ checks }, { step, check }, position) => {
    checks.push({ step, check, outcome: "passed", output: "", position });
  },
  "verification-failed": ({ checks }, { step, check, output }, position) => {
    checks.push({ step, check, outcome: "failed", output, position });
  },
  "tests-changed": ({ checks }, { step, files, more }, position) => {
    const check = namedFiles({ files, more });
    checks.push({ step, check, outcome: "changed tests", output: "", position });
  },
  "pattern-advanced": ({ barriers }, { kind, data }, position) => {
    const barrier = kind === "barrier" && isRecord(data) ? data["barrier"] : undefined;
    const point = typeof barrier === "string" ? barrier : kind;
    if (!barriers.has(point)) barriers.set(point, position);
  },
  "document-changed": ({ documents, revisions }, event, position) => {
    const { document, revision, by, change, at } = event;
    const before = documents.get(document) ?? "";
    const text = change.kind === "append" ? before + change.text : change.text;
    documents.set(document, text);
    revisions.push({ document, revision, by, kind: change.kind, text, before, position, at });
  },
  "approval-requested": (reading, event, position) =>
    openWait(
      reading,
      { ...open(event, position), id: event.approval, label: event.message },
      // What an agent asks for outlives its turns.
      event.op ?? event.agent ?? "",
    ),
  "approval-resolved": (reading, event, position) =>
    closeWait(reading, event.approval, close(event, position)),
  "permission-requested": (reading, event, position) => {
    const label = `${event.agent} wants to use ${event.tool}`;
    openWait(reading, { ...open(event, position), id: event.id, label }, turnKey(event));
  },
  "permission-resolved": (reading, event, position) =>
    closeWait(reading, event.id, close(event, position)),
  "question-asked": (reading, event, position) =>
    openWait(
      reading,
      { ...open(event, position), id: event.id, label: event.text },
      // What a message asks is open until the run ends.
      event.turn === undefined ? event.agent : turnKey({ agent: event.agent, turn: event.turn }),
    ),
  "question-answered": (reading, event, position) =>
    closeWait(reading, event.id, close(event, position)),
};

function take<Type extends EventData["type"]>(
  reading: Reading,
  event: EventOf<Type> & { readonly type: Type },
  position: number,
): void {
  const readers: {
    readonly [Each in Type]?: (reading: Reading, event: EventOf<Each>, position: number) => void;
  } = READERS;
  readers[event.type]?.(reading, event, position);
}

interface TurnReference {
  readonly agent: string;
  readonly turn: number;
}

function turnKey({ agent, turn }: TurnReference): string {
  return `${agent}/${turn}`;
}

function open({ at }: JournalEvent, position: number): Period {
  return { position, startedAt: at, endPosition: undefined, endedAt: undefined, end: "running" };
}

interface Close {
  readonly endPosition: number;
  readonly endedAt: number;
  readonly end: SpanEnd;
}

function close({ at }: JournalEvent, position: number): Close {
  return { endPosition: position, endedAt: at, end: "completed" };
}

function endTurn(reading: Reading, key: string, end: Close & Partial<TurnSpan>): void {
  const turn = reading.openTurns.get(key);
  if (turn === undefined) return;
  Object.assign(turn, end);
  reading.openTurns.delete(key);
  closeWaits(reading, key, end);
}

function endAttempt(reading: Reading, path: string, end: Close & Partial<AttemptSpan>): void {
  const attempt = reading.openAttempts.get(path);
  if (attempt === undefined) return;
  Object.assign(attempt, end);
  reading.openAttempts.delete(path);
}

function openWait(reading: Reading, span: WaitSpan, owner: string): void {
  // Asked for again, it still is the same request.
  if (reading.openWaits.has(span.id)) return;
  reading.waits.push(span);
  reading.openWaits.set(span.id, { span, owner });
}

function closeWait({ openWaits }: Reading, id: string, end: Close): void {
  const wait = openWaits.get(id);
  if (wait === undefined) return;
  Object.assign(wait.span, end);
  openWaits.delete(id);
}

/** Nobody waits for an answer any more once whoever asked is over. */
function closeWaits(reading: Reading, owner: string, end: Close): void {
  for (const [id, wait] of reading.openWaits) if (wait.owner === owner) closeWait(reading, id, end);
}
