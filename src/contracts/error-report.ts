import { z } from "zod";
import type { ErrorReport } from "../foundation/errors.ts";

/** An error as journals and other processes tell it. */
export const errorReport: z.ZodType<ErrorReport> = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().exactOptional(),
  retryable: z.boolean().exactOptional(),
  details: z.unknown().exactOptional(),
  file: z.string().exactOptional(),
  line: z.number().exactOptional(),
  column: z.number().exactOptional(),
});
