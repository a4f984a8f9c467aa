import type { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What a block of such a pattern says, under the names that all of them share. */
export interface LayerBlock {
  readonly workers: readonly string[] | undefined;
  readonly gatherer: string | undefined;
  /** How often all answer; undefined where the block has no such key or leaves it out. */
  readonly layers: number | undefined;
}

/** A pattern in which many answer and one makes a single answer of theirs. */
export interface LayerKind extends Pick<Pattern, "name" | "summary"> {
  readonly block: z.ZodType;
  /** The names that the block has for who takes part. */
  readonly keys: { readonly workers: string; readonly gatherer: string };
  readonly read: (options: PatternDefinition["options"]) => LayerBlock;
  readonly defaultLayers: number;
}
