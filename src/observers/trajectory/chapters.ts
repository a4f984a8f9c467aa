import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type {
  TrajectoryChapter,
  TrajectoryDecision,
  TrajectoryEvent,
  TrajectorySpec,
} from "../../contracts/trajectory.ts";
import { count } from "../../foundation/count.ts";
import { sha256 } from "../../foundation/hash.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { present } from "../../foundation/present.ts";
import { createAskedQuestions, decisionIn } from "./decisions.ts";
import { recordOf } from "./records.ts";

/** Most events of one chapter; the journal holds all of them. */
const MAX_EVENTS = 1000;

/** The chapters of a run and what was decided in them. */
export interface ToldChapters {
  readonly chapters: readonly TrajectoryChapter[];
  readonly decisions: readonly TrajectoryDecision[];
}

/** What chapters are made with. */
export interface ChapterOptions {
  readonly run: string;
  readonly spec: TrajectorySpec;
}

/**
 * The events of a run as chapters: one of the run itself, one for each execution of a step, and one for each agent
 * that works outside of steps. They stand in the order of their beginnings.
 */
export function toldChapters(
  events: readonly JournalEvent[],
  { run, spec }: ChapterOptions,
): ToldChapters {
  const book = new ChapterBook(run, spec.agentName);
  const asked = createAskedQuestions();
  const decisions: TrajectoryDecision[] = [];
  for (const event of events) {
    asked.note(event);
    const chapter = book.chapterOf(event);
    const decision = decisionIn(event, asked);
    if (decision !== undefined) {
      decisions.push(decision);
      chapter.add(event, decisionRecord(decision));
    } else {
      const record = recordOf(event, spec);
      if (record !== undefined) chapter.add(event, record);
    }
    book.close(event);
  }
  return { chapters: book.chapters(), decisions };
}

/** A decision as agent-trajectories writes it among the events of a chapter. */
function decisionRecord(decision: TrajectoryDecision): Omit<TrajectoryEvent, "ts"> {
  const { question, chosen } = decision;
  const content = question === chosen ? chosen : `${question}: ${chosen}`;
  return { type: "decision", content, raw: decision, significance: "high" };
}

type Draft = ReturnType<typeof createDraft>;

/** The chapters of a run while its events go by. */
class ChapterBook {
  readonly #run: string;
  readonly #owner: string;
  readonly #drafts = new Map<string, Draft>();
  readonly #turns = new Map<string, Draft>();

  constructor(run: string, owner: string) {
    this.#run = run;
    this.#owner = owner;
  }

  /** The chapter that tells of an event. */
  chapterOf(event: JournalEvent): Draft {
    const { at } = event;
    if ("path" in event && "execution" in event) return this.#ofStep(event);
    if (event.type === "turn-started") return this.#ofTurn(event);
    const known =
      "agent" in event && "turn" in event
        ? this.#turns.get(`${event.agent} ${event.turn}`)
        : undefined;
    return known ?? this.#open("run", { title: "The run", agentName: this.#owner, at });
  }

  /** Ends the chapter that an event is the last of. */
  close(event: JournalEvent): void {
    if (isStepEnd(event)) this.#drafts.get(`step ${event.path}#${event.execution}`)?.end(event.at);
    else if (event.type === "agent-exited") this.#drafts.get(`agent ${event.agent}`)?.end(event.at);
    else if (event.type === "run-resumed") this.#drafts.get("run")?.reopen();
    else if (event.type === "run-ended")
      for (const draft of this.#drafts.values()) draft.end(event.at);
  }

  chapters(): readonly TrajectoryChapter[] {
    return [...this.#drafts.values()].map((draft) => draft.chapter());
  }

  #ofStep(event: JournalEvent & StepExecution): Draft {
    const { path, execution, at } = event;
    const title = execution > 1 ? `${path} (${execution})` : path;
    const agentName = event.agent ?? this.#owner;
    return this.#open(`step ${path}#${execution}`, { title, agentName, at });
  }

  #ofTurn({ agent, turn, step, at }: EventOf<"turn-started">): Draft {
    const ofStep = step && this.#drafts.get(`step ${step.path}#${step.execution}`);
    const head = { title: `What ${agent} does`, agentName: agent, at };
    const chapter = ofStep ?? this.#open(`agent ${agent}`, head);
    this.#turns.set(`${agent} ${turn}`, chapter);
    return chapter;
  }

  #open(key: string, head: Omit<DraftHead, "id">): Draft {
    const known = this.#drafts.get(key);
    if (known !== undefined) return known;
    const digest = sha256(JSON.stringify([this.#run, key])).slice(0, 12);
    const draft = createDraft({ id: `chap_${digest}`, ...head });
    this.#drafts.set(key, draft);
    return draft;
  }
}

interface StepExecution {
  readonly path: string;
  readonly execution: number;
  readonly agent?: string;
}

function isStepEnd(event: JournalEvent) {
  return (
    event.type === "step-completed" ||
    event.type === "step-failed" ||
    event.type === "step-skipped" ||
    event.type === "step-blocked" ||
    event.type === "step-cancelled"
  );
}

interface DraftHead {
  readonly id: string;
  readonly title: string;
  readonly agentName: string;
  readonly at: number;
}

function createDraft({ id, title, agentName, at }: DraftHead) {
  const events: TrajectoryEvent[] = [];
  let left = 0;
  let endedAt: number | undefined;
  return {
    add: (event: JournalEvent, record: Omit<TrajectoryEvent, "ts">) => {
      if (events.length < MAX_EVENTS) events.push({ ts: event.at, ...record });
      else left += 1;
    },
    end: (time: number) => {
      endedAt ??= time;
    },
    reopen: () => {
      endedAt = undefined;
    },
    chapter: (): TrajectoryChapter => ({
      id,
      title,
      agentName,
      startedAt: toIsoTime(at),
      ...present({
        endedAt: endedAt === undefined ? undefined : toIsoTime(Math.max(at, endedAt)),
      }),
      events: left === 0 ? events : [...events, restOf(left, endedAt ?? at)],
    }),
  };
}

function restOf(left: number, ts: number): TrajectoryEvent {
  return { ts, type: "note", content: `${count(left, "more event")} in the journal of the run` };
}
