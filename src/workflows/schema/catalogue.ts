import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What loading a file needs to know of a pattern. */
export type PatternEntry = Pick<
  Pattern,
  | "name"
  | "onFailure"
  | "order"
  | "defaultMode"
  | "compensates"
  | "prunes"
  | "block"
  | "blockKey"
  | "goalKey"
  | "check"
  | "tests"
  | "defaultTimeoutMs"
>;

/** Patterns that a file is read against. */
export type PatternCatalogue = readonly PatternEntry[];

/** What every file is told of a pattern, also one that names another. */
export type KnownPattern = Pick<Pattern, "name" | "blockKey">;
