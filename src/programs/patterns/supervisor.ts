import { z } from "zod";
import type { HubKind } from "../talk/hub-kind.ts";
import { fallbackKey } from "../talk/takeover.ts";

const block = z.strictObject({
  agent: z
    .string()
    .optional()
    .describe(
      "Who supervises. Default: the only hub, else the only lead, else whom others report to.",
    ),
  canSpawn: z
    .boolean()
    .optional()
    .describe("Whether the supervisor may ask for more workers. Default: true."),
  peers: z.boolean().optional().describe("Whether workers may write to each other. Default: true."),
  fallback: fallbackKey.describe(
    "Who takes the place of the supervisor once that has failed; no worker before. Default: nobody, and the run has failed.",
  ),
});

/** A hub whose workers start when it gives them something to do, and not before. */
export const supervisorKind: HubKind = {
  name: "supervisor",
  summary: "A supervisor gives out the work, looks at what comes back, and says when all is done",
  block,
  assigns: true,
  hubKey: "supervisor",
};
