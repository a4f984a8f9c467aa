import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What loading a file needs to know of a pattern. */
export type PatternEntry = Pick<Pattern, "name" | "onFailure" | "order" | "block">;

/** The patterns that can be run. */
export type PatternCatalogue = readonly PatternEntry[];

/** Every pattern of the format, also those that this version cannot run. */
export const PATTERN_NAMES = [
  "fan-out",
  "pipeline",
  "dag",
  "hub-spoke",
  "consensus",
  "mesh",
  "handoff",
  "cascade",
  "debate",
  "hierarchical",
] as const;

/** The key of a pattern's own block: its name in camelCase, and `hub` for hub-spoke. */
export function blockKeyOf(pattern: string): string {
  if (pattern === "hub-spoke") return "hub";
  return pattern.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
