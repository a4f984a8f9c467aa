import { z } from "zod";
import { PROGRESS_FORMS } from "../view/progress.ts";

/** The options of every command that stays with a run, for the schema of its options. */
export const attendInput = {
  approve: z.enum(["ask", "all", "none"]).default("ask"),
  progress: z.enum(PROGRESS_FORMS).exactOptional(),
  json: z.boolean().exactOptional(),
  jsonAll: z.boolean().exactOptional(),
  record: z.string().exactOptional(),
  report: z.string().exactOptional(),
  detach: z.boolean().default(false),
  trust: z.boolean().default(false),
  unsandboxed: z.boolean().default(false),
};
