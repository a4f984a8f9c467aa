import type { ConventionTemplate } from "./convention.ts";

/** Where somebody stands among those who try one after the other. */
export interface EscalationParams {
  /** From 1. */
  readonly rank: number;
  readonly of: number;
  /** What happens if it fails, in words. */
  readonly next: string;
}

/** The convention of whoever tries. */
export const escalationConvention: ConventionTemplate<EscalationParams> = {
  name: "escalation/rank",
  place: ({ rank, of, next }) =>
    `This is an escalation: agents try one after the other, the next one when the one before has failed. You are number ${rank} of ${of}; if you fail, ${next}.`,
  result: () => "what came of it, which is all that anybody reads",
  rules: () => [
    "Give up early rather than late: when you see that you cannot do it, say so with the reason and all that you have found out, which saves the next one your way.",
  ],
  data: () => [],
};
