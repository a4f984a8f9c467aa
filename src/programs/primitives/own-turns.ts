import type {
  ConversationBounds,
  PatternDefinition,
  TurnRules,
} from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { StigmergySpec } from "../../contracts/stigmergy.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { leavesOrder } from "./step-order.ts";

/** What ends a conversation where nobody says another bound. */
export const DEFAULT_BOUNDS = { turnsPerAgent: 50, messages: 500, pingPong: 6 };

/** What is written of a pattern beside its agents and its steps. */
export interface WrittenPattern {
  /** Its own block. */
  readonly block: { readonly [key: string]: Json };
  readonly mode: PatternDefinition["mode"] | undefined;
  readonly hasSteps: boolean;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly turnTimeoutMs: number | undefined;
  readonly bounds: ConversationBounds;
}

/** The key of a pattern's own block. */
export function blockKeyOf({ name, blockKey }: Pick<Pattern, "name" | "blockKey">): string {
  return blockKey ?? name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** How turns are tried and bounded that a pattern gives itself. */
export function turnRulesOf({
  maxAttempts,
  retryDelayMs,
  timeoutMs,
  bounds,
}: Required<Pick<TurnRules, "maxAttempts" | "retryDelayMs" | "bounds">> & {
  readonly timeoutMs: number | undefined;
}): TurnRules {
  const isBounded = Object.keys(bounds).length > 0;
  return {
    ...{ maxAttempts, retryDelayMs },
    ...present({ timeoutMs, bounds: isBounded ? bounds : undefined }),
  };
}

/** What a pattern needs that leaves the order of steps to the file, or gives turns itself where there are none. */
export function ownTurnsOf(
  { order, goalKey }: Pick<Pattern, "order" | "goalKey">,
  written: WrittenPattern,
): Pick<PatternDefinition, "goal" | "mode" | "turns" | "bounds"> {
  const { block, mode, hasSteps, maxAttempts, retryDelayMs, turnTimeoutMs, bounds } = written;
  if (order !== "mode") return leavesOrder(order) ? present({ mode }) : {};
  const goal = goalKey === undefined ? undefined : block[goalKey];
  const turns = turnRulesOf({ maxAttempts, retryDelayMs, timeoutMs: turnTimeoutMs, bounds });
  return {
    ...(typeof goal === "string" ? { goal } : {}),
    ...present({ mode }),
    ...(hasSteps ? {} : { turns, bounds: { ...DEFAULT_BOUNDS, ...bounds } }),
  };
}

type StigmergyEntry = {
  readonly [Key in keyof StigmergySpec]?: StigmergySpec[Key] | undefined;
};

/** Marks as they are where nothing else is said. */
const DEFAULT_STIGMERGY: StigmergySpec = {
  namespace: "default",
  decayRate: 0,
  minThreshold: 0.01,
  reinforcement: "additive",
};

/** What a checked file says of marks, as a member of its definition; nothing without the block. */
export function resolveStigmergy(entry: StigmergyEntry | undefined): {
  readonly stigmergy?: StigmergySpec;
} {
  return entry === undefined ? {} : { stigmergy: { ...DEFAULT_STIGMERGY, ...present(entry) } };
}
