import type { z } from "zod";
import type { Pattern } from "../../contracts/ports/pattern.ts";

/** What differs between patterns of a hub and its workers. */
export interface HubKind extends Pick<Pattern, "name" | "summary" | "blockKey"> {
  readonly block: z.ZodType;
  /** Whether a worker starts only when it is written to, where the block does not say. */
  readonly assigns: boolean;
  /** The key of the result under which the hub stands. */
  readonly hubKey: string;
}
