import { z } from "zod";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import { count } from "../../foundation/count.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import { plainSignal, plainVote } from "./plain-answer.ts";
import type { Said, Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

// One makes something, others say whether it is good, and it is made again until they do.

/** Who makes what, and who looks at it. */
export interface RevisionPlan {
  readonly author: string;
  /** All of whom must approve. */
  readonly reviewers: readonly string[];
  /** Versions at most. */
  readonly maxRounds: number;
  readonly role: (agent: string) => Role;
  /** What reviewers are asked to do with a version. */
  readonly look: string;
}

/** A word on a version. */
interface Review {
  readonly agent: string;
  readonly vote: "approve" | "reject";
  readonly reason: string;
}

type Ended = Omit<ProgramResult, "metadata">;

/** Most that a turn is told of a version, and of a review. */
const MAX_CHARS = 65_536;

/** Lets the author make version after version, until all reviewers approve of one or there may be no further one. */
export async function revise(talk: Talk, plan: RevisionPlan): Promise<Ended> {
  let version: string | undefined;
  let reviews: readonly Review[] = [];
  for (let round = 1; ; round += 1) {
    const said = await talk.turn(authorCall(plan, { round, reviews }));
    if (said?.status === "left") return authorLost(plan, said.error);
    if (said === undefined) return bounded(talk, version);
    version = said.output;
    reviews = await reviewsOf(talk, plan, { round, version });
    const spoke = reviews.map(({ agent }) => agent);
    talk.advance("round", { round, of: plan.maxRounds, spoke, news: spoke.length });
    if (reviews.length === 0) return unreviewed(talk, plan, version);
    if (talk.broken === undefined && reviews.every(({ vote }) => vote === "approve")) {
      const reason = `${reviews.map(({ agent }) => agent).join(", ")} approved of version ${round}`;
      return { outcome: "completed", reason, output: version };
    }
    if (talk.broken !== undefined) return bounded(talk, version);
    if (round === plan.maxRounds) {
      const reason = `nobody approved of ${count(round, "version")}`;
      return { outcome: "limit-reached", reason: named(reviews, reason), output: version };
    }
  }
}

function named(reviews: readonly Review[], otherwise: string): string {
  const against = reviews.filter(({ vote }) => vote === "reject").map(({ agent }) => agent);
  return against.length === 0
    ? otherwise
    : `${against.join(", ")} did not approve of the last version`;
}

function authorCall(
  { author, role, maxRounds }: RevisionPlan,
  { round, reviews }: { readonly round: number; readonly reviews: readonly Review[] },
): TurnCall {
  const objections = reviews.filter(({ vote }) => vote === "reject");
  const now =
    round === 1
      ? "Do the task, and end with a line `DONE: <what you made, or where it is>`."
      : `Version ${round - 1} was not approved of: the objections are above. Mend what is right of them, and end with a line \`DONE: <what you made, or where it is>\`. It is version ${round} of at most ${maxRounds}.`;
  return {
    agent: author,
    role: role(author),
    now,
    blocks: objections.map(
      ({ agent, reason }): DataBlock => ({
        label: `objection of ${agent}`,
        text: clip(reason || "(no reason given)"),
      }),
    ),
    demand: { kinds: ["done"], form: "DONE: <what you made>", plain: plainSignal("done") },
    announce: "none",
  };
}

/** What those say that still take part, in their order. */
async function reviewsOf(
  talk: Talk,
  { author, reviewers, role, look }: RevisionPlan,
  { round, version }: { readonly round: number; readonly version: string },
): Promise<readonly Review[]> {
  const present = reviewers.filter((agent) => talk.isIn(agent));
  const changes = await talk.changesBy(author);
  const made = [{ label: `version ${round} of ${author}`, text: version }, ...changes];
  const blocks = made.map(({ label, text }) => ({ label, text: clip(text) }));
  const calls = present.map(
    (agent): TurnCall => ({
      agent,
      role: role(agent),
      now: `Version ${round} of ${author} is above. ${look} Answer with a line \`VOTE: approve\` or \`VOTE: reject <what is wrong>\`.`,
      blocks,
      demand: { kinds: ["vote"], form: "VOTE: <approve or reject> <why>", plain: plainVote },
      announce: "none",
    }),
  );
  const said = await talk.turns(calls);
  const reviews = present.flatMap((agent) => toReview(agent, said.get(agent)));
  for (const { agent, vote, reason } of reviews)
    talk.advance("vote", { round, agent, vote, reason, changed: false });
  return reviews;
}

function toReview(agent: string, said: Said | undefined): readonly Review[] {
  if (said?.status !== "said") return [];
  const signal = said.signals.findLast(({ kind }) => kind === "vote");
  if (signal === undefined) return [];
  const vote = signal.value === "approve" ? "approve" : "reject";
  // Whoever argues above its vote has said why there.
  return [
    {
      agent,
      vote,
      reason: [said.text, signal.reason ?? ""].filter((text) => text !== "").join("\n\n"),
    },
  ];
}

function authorLost(
  { author }: RevisionPlan,
  error: Extract<Said, { status: "left" }>["error"],
): Ended {
  return { outcome: "failed", reason: `${author} makes nothing any more: ${error.message}`, error };
}

function bounded(talk: Talk, version: string | undefined): Ended {
  const reason = talk.broken ?? "a turn was cut off";
  return { outcome: "limit-reached", reason, ...present({ output: version }) };
}

/** Without anybody who looks at it nobody knows whether it is good. */
function unreviewed(talk: Talk, { reviewers }: RevisionPlan, version: string): Ended {
  if (talk.broken !== undefined) return bounded(talk, version);
  const error = reviewers
    .map((agent) => talk.left.get(agent))
    .findLast((left) => left !== undefined);
  const reason = `nobody is left to look at it: ${error?.message ?? "no vote was given"}`;
  return { outcome: "failed", reason, output: version, ...present({ error }) };
}

function clip(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).toWellFormed()}… (cut here)` : text;
}

const notes = {
  vote: z.object({ round: z.number(), agent: z.string(), vote: z.string(), reason: z.string() }),
  round: z.object({ round: z.number(), of: z.number() }),
};

/** How many versions there were, and what was said of each, from what was noted so far. */
export function revisionReport(advances: readonly PatternAdvance[]): {
  readonly [key: string]: Json;
} {
  const votes = advances.flatMap(({ kind, data }) =>
    kind === "vote" ? [notes.vote.parse(data)] : [],
  );
  const rounds = advances.flatMap(({ kind, data }) =>
    kind === "round" ? [notes.round.parse(data).round] : [],
  );
  const last = rounds.at(-1) ?? 0;
  const words = votes.filter(({ round }) => round === last);
  return {
    rounds: last,
    approved: words.length > 0 && words.every(({ vote }) => vote === "approve"),
    reviews: votes,
  };
}
