import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { ReflectedMessage, ReflectedStatus } from "../../contracts/reflection.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";

// Owns what was said since the last reflection, how important that is together, and how each agent does. Facts in, numbers
// out: what was said longest ago is forgotten first, so that a fact costs the same however long a run takes.

/** Most characters that are remembered of what was said. */
const MAX_CHARS = 32_768;
const ORDINARY = 3;

/** How important a message is by its words, from 1 to 10: the first band that fits counts. */
const BANDS: readonly (readonly [words: RegExp, importance: number])[] = [
  [/error|fail|crash|panic/i, 8],
  [/blocked|stuck|waiting|conflict/i, 6],
  [/done:|complete|finished/i, 5],
  [/decision|chose|decided/i, 5],
  [/progress|update|working on/i, 3],
  [/ack:|starting/i, 2],
];

/** How important a message is by its words alone, from 1 to 10. */
export function importanceOf(text: string): number {
  return BANDS.find(([words]) => words.test(text))?.[1] ?? ORDINARY;
}

/** A message whose importance nobody has said yet. */
export type HeardMessage = Pick<ReflectedMessage, "from" | "text">;

interface Standing {
  status: ReflectedStatus;
  hasLeft: boolean;
}

/** What a reflection looks at. */
export interface ReflectedStretch {
  readonly importance: number;
  /** How often each agent has said something. */
  readonly counts: ReadonlyMap<string, number>;
  /** What was said, the oldest first; without the beginning when it was a lot. */
  readonly said: readonly ReflectedMessage[];
  /** How many messages are not in `said`. */
  readonly forgotten: number;
  readonly statuses: ReadonlyMap<string, ReflectedStatus>;
  readonly confidence: number;
}

/** What happens between two reflections. */
export class ReflectionWindow {
  readonly #standings: Map<string, Standing>;
  /** Said, and not weighed yet. */
  #heard: HeardMessage[] = [];
  #said: ReflectedMessage[] = [];
  #counts = new Map<string, number>();
  #chars = 0;
  #forgotten = 0;
  #importance = 0;

  /** What anybody but these says, and those that join them, counts for nothing. */
  constructor(agents: readonly string[]) {
    this.#standings = new Map(agents.map((id) => [id, { status: "idle", hasLeft: false }]));
  }

  /** What was said since the last weighing. */
  get heard(): readonly HeardMessage[] {
    return this.#heard;
  }

  /** Adds what was heard up, each message with the importance that stands in its place, or by its words. */
  weigh(scores: readonly (number | undefined)[]): void {
    for (const [index, message] of this.#heard.entries())
      this.#add({ ...message, importance: scores[index] ?? importanceOf(message.text) });
    this.#heard = [];
  }

  get importance(): number {
    return this.#importance;
  }

  /** The id of an agent, however it is written; undefined: nobody has it. */
  idOf(agent: string): string | undefined {
    const folded = agent.toLowerCase();
    return [...this.#standings.keys()].find((known) => known.toLowerCase() === folded);
  }

  statusOf(agent: string): ReflectedStatus | undefined {
    return this.#standings.get(agent)?.status;
  }

  /** Whether an agent takes part no more. */
  hasLeft(agent: string): boolean {
    return this.#standings.get(agent)?.hasLeft === true;
  }

  /** Takes in what has happened: a turn's text is a message, and what its agent posted beside it is one each. */
  take(event: JournalEvent): void {
    if (event.type === "message-posted" && event.key?.endsWith("/announce") !== true)
      this.#hear(event.from, event.text);
    if (event.type === "turn-completed") this.#hear(event.agent, event.text);
    if (event.type === "agent-spawned" && event.spec.shadow === undefined) this.join(event.agent);
    const change = standingAfter(event);
    const standing = "agent" in event ? this.#standings.get(event.agent ?? "") : undefined;
    if (standing !== undefined && change !== undefined) Object.assign(standing, change);
  }

  /** Somebody takes part from now on. */
  join(agent: string): void {
    this.#standings.set(agent, { status: "idle", hasLeft: false });
  }

  /** Somebody takes part no more. */
  leave(agent: string): void {
    this.#standings.set(agent, { status: "done", hasLeft: true });
  }

  /** Hands out what there is, and begins anew. */
  restart(): ReflectedStretch {
    const standings = [...this.#standings.values()];
    const stuck = standings.filter(({ status }) => status === "stuck").length;
    const well = standings.filter(({ status, hasLeft }) => status !== "stuck" && !hasLeft).length;
    const stretch = {
      importance: this.#importance,
      counts: this.#counts,
      said: this.#said,
      forgotten: this.#forgotten,
      statuses: new Map([...this.#standings].map(([id, { status }]) => [id, status])),
      confidence: stuck === 0 ? 1 : well / (well + stuck),
    };
    this.#said = [];
    this.#counts = new Map();
    this.#chars = 0;
    this.#forgotten = 0;
    this.#importance = 0;
    return stretch;
  }

  #hear(from: string, text: string): void {
    if (this.#standings.has(from) && text.trim() !== "") this.#heard.push({ from, text });
  }

  #add({ from, text: whole, importance }: ReflectedMessage): void {
    const text = whole.slice(0, MAX_CHARS).toWellFormed();
    this.#said.push({ from, text, importance });
    this.#counts.set(from, (this.#counts.get(from) ?? 0) + 1);
    this.#importance += importance;
    this.#chars += text.length;
    while (this.#chars > MAX_CHARS) {
      this.#chars -= this.#said.shift()?.text.length ?? 0;
      this.#forgotten += 1;
    }
  }
}

/** What has changed with the agent of an event; undefined: nothing. */
function standingAfter(event: JournalEvent): Partial<Standing> | undefined {
  switch (event.type) {
    case "turn-started":
      return { status: "active" };
    case "turn-completed":
      return { status: statusAfter(event) };
    case "turn-failed":
      return { status: "stuck" };
    case "agent-exited":
      return { status: event.error === undefined ? "done" : "stuck", hasLeft: true };
    case "agent-status":
      if (event.status === "stuck") return { status: "stuck" };
      return event.status === "working" ? { status: "active" } : undefined;
    default:
      return undefined;
  }
}

function statusAfter({ signals }: EventOf<"turn-completed">): ReflectedStatus {
  const kinds = signals.map(({ kind }) => kind);
  if (kinds.includes("failed") || kinds.includes("blocked")) return "stuck";
  return kinds.includes("done") || kinds.includes("team_done") ? "done" : "idle";
}

/** What was said, as data for whoever reads it. */
export function saidBlocks({ said, forgotten }: ReflectedStretch): readonly DataBlock[] {
  const blocks = said.map(({ from, text, importance }) => ({
    label: `message of ${from}, importance ${importance}`,
    text,
  }));
  if (forgotten === 0) return blocks;
  return [
    { label: "note of Troupe", text: `${forgotten} earlier messages are left out here` },
    ...blocks,
  ];
}
