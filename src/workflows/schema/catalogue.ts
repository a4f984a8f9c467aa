import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What loading a file needs to know of a pattern. */
export type PatternEntry = Pick<
  Pattern,
  "name" | "onFailure" | "order" | "block" | "blockKey" | "goalKey" | "check"
>;

/** The patterns that can be run. */
export type PatternCatalogue = readonly PatternEntry[];
