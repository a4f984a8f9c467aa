import { type ConventionTemplate, inOneLine } from "./convention.ts";

/** Where a debater stands. */
export interface DebaterParams {
  /** What it defends; undefined when it finds its own. */
  readonly position: string | undefined;
  /** The others with what they defend. */
  readonly opponents: readonly { readonly agent: string; readonly position: string | undefined }[];
  readonly rounds: number;
  /** Who decides in the end, if anybody does. */
  readonly judge: string | undefined;
}

/** The convention of a debater. */
export const debaterConvention: ConventionTemplate<DebaterParams> = {
  name: "debate/debater",
  place: ({ position, opponents, rounds, judge }) => {
    const stand =
      position === undefined ? "a position of your own" : `this: ${inOneLine(position)}`;
    const others = opponents.map(
      (one) => one.agent + (one.position === undefined ? "" : ` (${inOneLine(one.position)})`),
    );
    const end = judge === undefined ? "Nobody judges it." : `${judge} judges it.`;
    return `This is a debate of at most ${rounds} ${rounds === 1 ? "round" : "rounds"}. You defend ${stand}. Your opponents: ${others.join(", ")}. ${end}`;
  },
  result: () => "your argument of this round",
  rules: () => [
    "Answer what your opponents say; do not pass over their best points.",
    "If they have convinced you, write `CONCEDE:` and why instead of `ARGUMENT:`. You are out of the debate then, and that is no failure.",
  ],
  data: () => [],
};

/** What a judge judges. */
export interface JudgeParams {
  readonly positions: readonly string[];
}

/** The convention of a judge. */
export const judgeConvention: ConventionTemplate<JudgeParams> = {
  name: "debate/judge",
  place: ({ positions }) =>
    `You judge a debate. The positions: ${positions.map(inOneLine).join(" / ")}. You are given all that was said, by rounds.`,
  result: () => "the position that has won, as it is written above, and nothing else",
  rules: () => [
    "Weigh evidence and reasons, and how well each side has met the other's points; who spoke last or longest counts nothing.",
    "Say why in a line that starts with `DONE:` after the verdict.",
  ],
  data: () => [],
};
