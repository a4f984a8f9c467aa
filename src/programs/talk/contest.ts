import { z } from "zod";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { checkScope } from "../primitives/step-variables.ts";
import { beginChecks, type StepChecks } from "../step/step-checks.ts";
import { plainSignal, plainVerdict } from "./plain-answer.ts";
import type { Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

// Candidates do the same; a check and a judge say whose work is taken.

/** Who competes, and what says who wins: a check, a judge, or a judge of those that pass the check. */
export interface Contest {
  readonly candidates: readonly string[];
  readonly judge: string | undefined;
  readonly check: VerificationSpec | undefined;
  readonly role: (agent: string) => Role;
}

type Ended = Omit<ProgramResult, "metadata">;

interface Entry {
  readonly agent: string;
  readonly text: string;
}

interface Choice {
  readonly winner: string;
  readonly verdict: string;
  readonly reasoning: string;
}

/** All that a judge is shown; each has its share. */
const MAX_SHOWN_CHARS = 262_144;
const MOST_ASKED = 2;

/** Lets all work, checks what they did, and lets the judge choose where more than one is left. */
export async function compete(talk: Talk, contest: Contest): Promise<Ended> {
  const checks = await beginAll(talk, contest);
  const said = await talk.turns(contest.candidates.map((agent) => callOf(contest, agent)));
  const entries: Entry[] = [];
  for (const agent of contest.candidates) {
    const came = said.get(agent);
    if (came?.status !== "said") {
      talk.advance("candidate", { agent, done: false, passed: false });
      continue;
    }
    const { text, output } = came;
    const breach = await checks.get(agent)?.judge({ output, outputTruncated: false, text });
    const why = breach === undefined ? {} : { why: breach.message };
    talk.advance("candidate", { agent, done: true, passed: breach === undefined, ...why });
    if (breach === undefined) entries.push({ agent, text: output });
  }
  const { broken } = talk;
  const end = await choose(talk, contest, entries);
  return broken === undefined || end.outcome === "failed"
    ? end
    : { ...end, outcome: "limit-reached", reason: `${broken}; ${end.reason}` };
}

/** What a candidate changes of that which checks it counts for nothing, so all is looked at before anybody works. */
async function beginAll(
  { context, definition, team }: Talk,
  { candidates, check }: Contest,
): Promise<ReadonlyMap<string, StepChecks>> {
  const checks = new Map<string, StepChecks>();
  if (check === undefined) return checks;
  for (const step of candidates) {
    const place = team.place(step);
    const work = { place, builtOn: [] };
    const scope = checkScope({ context, definition, results: new Map(), work });
    checks.set(step, await beginChecks(scope, { step, checks: [check], place }));
  }
  return checks;
}

function callOf({ role, check }: Contest, agent: string): TurnCall {
  const checked = check === undefined ? "" : " Your work is checked by a command afterwards.";
  return {
    agent,
    role: role(agent),
    now: `Do the task as well as you can.${checked} End with a line \`DONE: <what you did, and why it is good>\`.`,
    demand: { kinds: ["done"], form: "DONE: <what you did>", plain: plainSignal("done") },
    announce: "none",
  };
}

async function choose(talk: Talk, contest: Contest, entries: readonly Entry[]): Promise<Ended> {
  const [first, ...others] = entries;
  if (first === undefined) return nobody(talk, contest);
  const { judge, check } = contest;
  if (judge === undefined || others.length === 0) {
    const by = check === undefined ? "nobody else is left" : "it has passed the check";
    return take(talk, contest, { entry: first, verdict: by, reasoning: "" });
  }
  talk.unbind();
  const choice = await ask(talk, { judge, role: contest.role, entries });
  if ("outcome" in choice) return choice;
  const entry = entries.find(({ agent }) => agent === choice.winner) ?? first;
  return take(talk, contest, { ...choice, entry, by: judge });
}

interface Taken extends Pick<Choice, "verdict" | "reasoning"> {
  readonly entry: Entry;
  /** The judge; absent where none was needed. */
  readonly by?: string;
}

function take(talk: Talk, { candidates }: Contest, taken: Taken): Ended {
  const { verdict, reasoning, by } = taken;
  const { agent: winner, text: output } = taken.entry;
  const losers = candidates.filter((id) => id !== winner);
  talk.advance("verdict", { winner, judge: by ?? null, verdict, reasoning, losers });
  const reason = by === undefined ? `${winner} wins: ${verdict}` : `${by} has chosen ${winner}`;
  return { outcome: "completed", reason, output };
}

interface Judging {
  readonly judge: string;
  readonly role: Contest["role"];
  readonly entries: readonly Entry[];
}

/** What the judge chooses. Who names nobody that can win is asked once more. */
async function ask(talk: Talk, { judge, role, entries }: Judging): Promise<Choice | Ended> {
  const ids = entries.map(({ agent }) => agent);
  const form = `VERDICT: <one of ${ids.join(", ")}> <why>`;
  let again = "";
  for (let asked = 1; asked <= MOST_ASKED; asked += 1) {
    const said = await talk.turn({
      agent: judge,
      role: role(judge),
      now: `${again}What is left to choose from is above, with where each has worked. Judge with a line \`${form}\`.`,
      blocks: asked === 1 ? shown(talk, entries) : [],
      demand: { kinds: ["verdict"], form, plain: plainVerdict },
      announce: "none",
    });
    if (said?.status !== "said") {
      const reason = `${judge} gave no verdict: ${said?.error.message ?? "its turn was cut off"}`;
      return { outcome: "failed", reason, ...present({ error: said?.error }) };
    }
    const { value: given = "", reason } = said.signals.find(({ kind }) => kind === "verdict") ?? {};
    const winner = namedFirst(given, ids);
    if (winner !== undefined) return { winner, verdict: given, reasoning: reason ?? said.text };
    again = "Your verdict named none of them. ";
  }
  return { outcome: "failed", reason: `${judge} has chosen none of ${ids.join(", ")}` };
}

function shown({ team }: Talk, entries: readonly Entry[]) {
  const most = Math.floor(MAX_SHOWN_CHARS / entries.length);
  return entries.map(({ agent, text }) => ({
    label: `work of ${agent}, in ${team.cwd(agent)}`,
    text: text.length > most ? `${text.slice(0, most).toWellFormed()}… (cut here)` : text,
  }));
}

/** The id that a verdict begins with, whatever quotes and full stops are around it. */
function namedFirst(verdict: string, ids: readonly string[]): string | undefined {
  const [word = ""] = verdict
    .trim()
    .toLowerCase()
    .split(/[\s,:;]/, 1);
  const bare = word.replace(/^["'`*]{1,3}|["'`*.!]{1,4}$/g, "");
  return ids.find((id) => id.toLowerCase() === bare);
}

function nobody(talk: Talk, { candidates }: Contest): Ended {
  if (talk.broken !== undefined) return { outcome: "limit-reached", reason: talk.broken };
  const error = candidates.flatMap((id) => talk.left.get(id) ?? []).at(-1);
  const why = error === undefined ? "none has passed the check" : error.message;
  const reason = `none of ${count(candidates.length, "candidate")} can win: ${why}`;
  return { outcome: "failed", reason, ...present({ error }) };
}

const notes = {
  candidate: z.object({
    agent: z.string(),
    done: z.boolean(),
    passed: z.boolean(),
    why: z.string().exactOptional(),
  }),
  verdict: z.object({ winner: z.string(), judge: z.string().nullable(), reasoning: z.string() }),
};

/** Who has won, and what came of each, from what was noted so far. */
export function contestReport(advances: readonly PatternAdvance[]): ProgramResult["metadata"] {
  const of = (wanted: keyof typeof notes) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const [verdict] = of("verdict").map((data) => notes.verdict.parse(data));
  return {
    winner: verdict?.winner ?? null,
    judge: verdict?.judge ?? null,
    reasoning: verdict?.reasoning ?? null,
    candidates: of("candidate").map((data) => ({ ...notes.candidate.parse(data) })),
  };
}
