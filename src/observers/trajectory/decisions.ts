import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { TrajectoryDecision } from "../../contracts/trajectory.ts";
import { describeAdvance } from "../../fold/describe-advance.ts";
import { isRecord, type Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { clipText } from "./clip-text.ts";

type Fields = { readonly [key: string]: unknown };

/** What a move of a pattern decided; the reasoning is its sentence where it gives no reason. */
interface Choice {
  readonly question: string;
  readonly chosen: string;
  readonly alternatives?: readonly string[];
  readonly reason?: string;
  readonly confidence?: number | undefined;
}

/** The moves of patterns by which something is decided. */
const CHOICES: { readonly [kind: string]: (data: Fields) => Choice } = {
  decision: ({ decision }) => ({
    question: "What do the agents decide?",
    chosen: text(decision),
    alternatives: others(decision, ["approved", "rejected", "undecided"]),
  }),
  handoff: ({ from, to, reason }) => ({
    question: `Who goes on after ${text(from)}?`,
    chosen: text(to),
    reason: text(reason),
  }),
  takeover: ({ from, to, reason }) => ({
    question: `Who takes the place of ${text(from)}?`,
    chosen: text(to),
    reason: text(reason),
  }),
  tier: ({ tier, agent, confidence, accepted }) => ({
    question: `Does the answer of ${text(agent)} (tier ${text(tier)}) stand?`,
    chosen: accepted === true ? "accepted" : "not accepted",
    alternatives: [accepted === true ? "ask the next agent" : "accepted"],
    confidence: toShare(confidence),
  }),
  answer: ({ agent, confidence }) => ({
    question: "Whose answer stands?",
    chosen: text(agent),
    confidence: toShare(confidence),
  }),
  award: ({ winner }) => ({
    question: "Who gets the task?",
    chosen: text(winner) || "nobody",
  }),
  verdict: ({ winner, verdict, judge, reasoning }) => ({
    question: `What does ${text(judge)} decide?`,
    chosen: text(winner) || text(verdict),
    reason: text(reasoning),
  }),
  convergence: ({ position }) => ({
    question: "Where do the debaters agree?",
    chosen: text(position) || "nowhere",
  }),
};

/** What people were asked, by its id: their answers name it. */
export interface AskedQuestions {
  /** Takes in a request; others are passed over. */
  note(event: JournalEvent): void;
  textOf(id: string): string | undefined;
}

/** Remembers what people are asked while the events of a run go by. */
export function createAskedQuestions(): AskedQuestions {
  const texts = new Map<string, string>();
  return {
    note: (event) => {
      if (event.type === "approval-requested") texts.set(event.approval, event.message);
      if (event.type === "question-asked") texts.set(event.id, event.text);
    },
    textOf: (id) => texts.get(id),
  };
}

/** The decision that an event records; undefined when it records none. */
export function decisionIn(
  event: JournalEvent,
  asked: AskedQuestions,
): TrajectoryDecision | undefined {
  if (event.type === "approval-resolved") {
    const { approval, decision, by, comment = "" } = event;
    const question = clipText(asked.textOf(approval) ?? "", approval);
    const alternatives = others(decision, ["approved", "rejected"]);
    return { question, chosen: decision, alternatives, reasoning: clipText(comment, `by ${by}`) };
  }
  if (event.type === "question-answered") {
    const { id, answer, by } = event;
    const question = clipText(asked.textOf(id) ?? "", id);
    return {
      question,
      chosen: clipText(answer, "no answer"),
      alternatives: [],
      reasoning: `by ${by}`,
    };
  }
  if (event.type === "record-added") return recordedIn(event);
  return event.type === "pattern-advanced" ? choiceIn(event) : undefined;
}

/** What somebody has recorded as decided; the question is the choice where none is told, as agent-trajectories has it. */
function recordedIn({ by, record }: EventOf<"record-added">): TrajectoryDecision | undefined {
  if (record.kind !== "decision") return undefined;
  const { chosen, question = chosen, reasoning = "", alternatives = [], confidence } = record;
  return {
    question: clipText(question, chosen),
    chosen: clipText(chosen, "nothing"),
    alternatives: [...alternatives],
    reasoning: clipText(reasoning === "" ? "" : `${by}: ${reasoning}`, `by ${by}`),
    ...present({ confidence }),
  };
}

function choiceIn(move: {
  readonly kind: string;
  readonly data: Json;
}): TrajectoryDecision | undefined {
  const choice = Object.hasOwn(CHOICES, move.kind) ? CHOICES[move.kind] : undefined;
  if (choice === undefined || !isRecord(move.data)) return undefined;
  const { question, chosen, alternatives = [], reason = "", confidence } = choice(move.data);
  if (chosen === "") return undefined;
  return {
    question,
    chosen: clipText(chosen, "nothing"),
    alternatives: [...alternatives],
    reasoning: clipText(reason, clipText(describeAdvance(move), move.kind)),
    ...present({ confidence }),
  };
}

function others(chosen: unknown, all: readonly string[]): string[] {
  return all.filter((each) => each !== chosen);
}

function text(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : "";
}

function toShare(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
}
