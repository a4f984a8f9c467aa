import { z } from "zod";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import { plainSignal } from "./plain-answer.ts";
import type { Said, Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

// Many answer at once, maybe on top of what all have answered before, and one makes a single answer of them.

/** Who answers, how often, and who makes one answer of all. */
export interface LayerPlan {
  readonly workers: readonly string[];
  /** How often all answer, each time told what all said before. */
  readonly layers: number;
  readonly gatherer: string;
  readonly role: (agent: string) => Role;
}

/** What somebody has answered. */
export interface GivenAnswer {
  readonly agent: string;
  /** What it was asked about; undefined where all are asked the same. */
  readonly about?: string;
  readonly text: string;
}

/** Who makes one answer of all, and who was asked. */
export type GatherPlan = Pick<LayerPlan, "gatherer" | "role" | "workers">;

type Ended = Omit<ProgramResult, "metadata">;

/** All answers that a turn is told of together; each has its share. */
const MAX_ANSWERS_CHARS = 262_144;

/** Lets all answer in layers, and one make a single answer of those of the last layer that said something. */
export async function answerInLayers(talk: Talk, plan: LayerPlan): Promise<Ended> {
  let answers: readonly GivenAnswer[] = [];
  for (let layer = 1; layer <= plan.layers && talk.broken === undefined; layer += 1) {
    const present = plan.workers.filter((agent) => talk.isIn(agent));
    const said = await talk.turns(
      present.map((agent) => workerCall(plan, { agent, layer, answers })),
    );
    const given = present.flatMap((agent) => toAnswer(agent, said.get(agent)));
    talk.advance("layer", { layer, of: plan.layers, answered: given.map(({ agent }) => agent) });
    // Who could not answer on top of the others has answered before.
    answers = given.length === 0 ? answers : given;
    if (given.length === 0) break;
  }
  return gather(talk, plan, answers);
}

interface LayerTurn {
  readonly agent: string;
  readonly layer: number;
  /** Of the layer before. */
  readonly answers: readonly GivenAnswer[];
}

function workerCall({ layers, role }: LayerPlan, { agent, layer, answers }: LayerTurn): TurnCall {
  const place = layers === 1 ? "" : `Layer ${layer} of ${layers}. `;
  const task =
    answers.length === 0
      ? "Do your part."
      : "What all of you answered before is above, your own answer among it. Make a better one: take over what is right, leave out what is wrong.";
  return {
    agent,
    role: role(agent),
    now: `${place}${task} End with a line \`DONE: <your answer>\`.`,
    blocks: toBlocks(answers),
    demand: { kinds: ["done"], form: "DONE: <your answer>", plain: plainSignal("done") },
    announce: "none",
  };
}

/** The last turn of all, if there are answers. It is given once more when a bound has cut it off, so that there is one (PAT-ends). */
export async function gather(
  talk: Talk,
  { gatherer, role, workers }: GatherPlan,
  answers: readonly GivenAnswer[],
): Promise<Ended> {
  if (answers.length === 0) return nothing(talk);
  const missing = workers.filter((id) => !answers.some(({ agent }) => agent === id));
  const lacks = missing.length === 0 ? "" : ` ${missing.join(", ")} did not answer.`;
  const call: TurnCall = {
    agent: gatherer,
    role: role(gatherer),
    now: `All answers are above.${lacks} Make one answer of them, and end with a line \`DONE: <the answer>\`.`,
    blocks: toBlocks(answers),
    demand: { kinds: ["done"], form: "DONE: <the answer>", plain: plainSignal("done") },
    announce: "none",
  };
  const bound = talk.broken;
  if (bound !== undefined) talk.unbind();
  let said = await talk.turn(call);
  if (said === undefined) {
    talk.unbind();
    said = await talk.turn(call);
  }
  const { broken } = talk;
  if (said?.status !== "said") {
    const reason = `${gatherer} made no answer of ${answers.length}: ${said?.error.message ?? "its turn was cut off"}`;
    return { outcome: "failed", reason, ...present({ error: said?.error }) };
  }
  const reason = `${gatherer} made one answer of ${answers.length}`;
  return broken === undefined
    ? { outcome: "completed", reason, output: said.output }
    : { outcome: "limit-reached", reason: `${broken}; ${reason}`, output: said.output };
}

function nothing(talk: Talk): Ended {
  if (talk.broken !== undefined) return { outcome: "limit-reached", reason: talk.broken };
  const [error] = [...talk.left.values()].reverse();
  const reason = `nobody has answered: ${error?.message ?? "nobody was asked"}`;
  return { outcome: "failed", reason, ...present({ error }) };
}

function toAnswer(agent: string, said: Said | undefined): readonly GivenAnswer[] {
  return said?.status === "said" ? [{ agent, text: said.output }] : [];
}

function toBlocks(answers: readonly GivenAnswer[]): readonly DataBlock[] {
  const most = Math.floor(MAX_ANSWERS_CHARS / Math.max(1, answers.length));
  return answers.map(({ agent, about, text }) => ({
    label: about === undefined ? `answer of ${agent}` : `answer of ${agent} about ${about}`,
    text: text.length > most ? `${text.slice(0, most).toWellFormed()}… (cut here)` : text,
  }));
}

const note = z.object({ layer: z.number(), answered: z.array(z.string()) });

/** Who has answered in which layer, from what was noted so far. */
export function layerReport(advances: readonly PatternAdvance[]): { readonly [key: string]: Json } {
  const layers = advances.flatMap(({ kind, data }) => (kind === "layer" ? [note.parse(data)] : []));
  return { layers: layers.map(({ layer, answered }) => ({ layer, answered })) };
}
