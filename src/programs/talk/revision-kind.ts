import type { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What a block of such a pattern says, under the names that all of them share. */
export interface RevisionBlock {
  readonly author: string | undefined;
  readonly reviewers: readonly string[] | undefined;
  readonly maxRounds: number | undefined;
}

/** A pattern in which one makes something and others say whether it is good. */
export interface RevisionKind extends Pick<Pattern, "name" | "blockKey" | "summary"> {
  readonly block: z.ZodType;
  /** The names that the block has for who takes part, and for the bound. */
  readonly keys: { readonly author: string; readonly reviewers: string; readonly bound: string };
  readonly read: (options: PatternDefinition["options"]) => RevisionBlock;
  readonly defaultRounds: number;
  /** Whether one alone looks at it. */
  readonly isAlone: boolean;
  /** Which pattern it is, in a sentence. */
  readonly place: string;
  /** What the author is to know, and what those that look at it are. */
  readonly rules: { readonly author: readonly string[]; readonly reviewer: readonly string[] };
  /** What reviewers are asked to do with a version. */
  readonly look: string;
}
