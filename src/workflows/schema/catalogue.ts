import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What loading a file needs to know of a pattern. */
export type PatternEntry = Pick<
  Pattern,
  "name" | "onFailure" | "order" | "block" | "blockKey" | "goalKey" | "check"
>;

/** The patterns that can be run. */
export type PatternCatalogue = readonly PatternEntry[];

/** The key of a pattern's own block. */
export function blockKeyOf({ name, blockKey }: Pick<PatternEntry, "name" | "blockKey">): string {
  return blockKey ?? name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
