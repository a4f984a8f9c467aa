import type { Signal } from "../../contracts/signal.ts";
import { present } from "../../foundation/present.ts";
import { isDecided, type TallyRules, type Vote } from "./tally.ts";

/** Whose votes are taken, and until when. */
export interface BallotRules extends TallyRules {
  /** Whether the box is closed as soon as the missing votes could change nothing. */
  readonly earlyStop: boolean;
}

/** A vote as it is taken; `changed` when its voter had voted before. */
export type CastVote = Vote & { readonly changed: boolean };

/**
 * The votes that count: the last one of each voter. Votes of others, the same vote again and what comes after the close
 * change nothing.
 */
export class BallotBox {
  readonly #rules: BallotRules;
  readonly #onCast: (vote: CastVote) => void;
  readonly #votes = new Map<string, Vote>();
  #isClosed = false;

  /** `onCast` is told of each vote that is taken. */
  constructor(rules: BallotRules, onCast: (vote: CastVote) => void) {
    this.#rules = rules;
    this.#onCast = onCast;
  }

  /** In the order of the voters. */
  get votes(): readonly Vote[] {
    return this.#rules.electorate.flatMap((agent) => this.#votes.get(agent) ?? []);
  }

  /** Whether it takes no more votes. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes a signal of an agent, if it is a vote that counts. */
  cast(agent: string, { kind, value, reason }: Signal): void {
    const { electorate, earlyStop } = this.#rules;
    if (kind !== "vote" || this.#isClosed || !electorate.includes(agent)) return;
    const before = this.#votes.get(agent);
    const vote = value === "approve" ? "approve" : "reject";
    if (before?.vote === vote && before.reason === reason) return;
    const given = { agent, vote, ...present({ reason }) } as const;
    this.#votes.set(agent, given);
    this.#onCast({ ...given, changed: before !== undefined });
    this.#isClosed = earlyStop && isDecided(this.votes, this.#rules);
  }
}
