import { z } from "zod";

// How a debate ends. Pure.

/** Who debates, and what each defends. */
export interface Debating {
  readonly debaters: readonly string[];
  /** What an agent defends, if somebody says so; else it stands for itself. */
  readonly position: (agent: string) => string | undefined;
  /** Whether it ends once all who are left defend the same. */
  readonly earlyConvergence: boolean;
}

/** What a debate came to without a judge: the one position that is left, or none. */
export const convergence = z.object({
  position: z.string().nullable(),
  positions: z.array(z.string()),
});
/** The value of `convergence`. */
export type Convergence = z.infer<typeof convergence>;

/** Whether those who are left have nothing to argue about: one has no opponent, and all may defend the same. */
export function isDebateOver(
  { earlyConvergence, position }: Debating,
  standing: readonly string[],
): boolean {
  if (standing.length < 2) return true;
  const [first, ...others] = standing.map(position);
  return earlyConvergence && first !== undefined && others.every((other) => other === first);
}

/** The position that a verdict names, itself or by who defends it; null when it names none. */
export function winnerOf({ debaters, position }: Debating, text: string): string | null {
  const named = bare(text);
  const agent = debaters.find((one) => bare(position(one) ?? one) === named || bare(one) === named);
  return agent === undefined ? null : (position(agent) ?? agent);
}

/** As two names of the same are compared: without case, quotes and a full stop. */
function bare(text: string): string {
  return text
    .trim()
    .replace(/^["'`*]{1,3}|["'`*.]{1,4}$/g, "")
    .toLowerCase();
}

/** What is left of the positions when those who still stand are these. */
export function convergenceOf(
  { debaters, position }: Debating,
  standing: readonly string[],
): Convergence {
  const positionsOf = (agents: readonly string[]) => [
    ...new Set(agents.map((agent) => position(agent) ?? agent)),
  ];
  // When all have conceded at once, they have changed sides.
  const positions = positionsOf(standing.length === 0 ? debaters : standing);
  const [first = null, ...others] = positions;
  return { position: others.length === 0 ? first : null, positions };
}

/** In words: `converged: X` or `split: X / Y`. */
export function describeConvergence({ position, positions }: Convergence): string {
  return position === null ? `split: ${positions.join(" / ")}` : `converged: ${position}`;
}
