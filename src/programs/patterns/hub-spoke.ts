import { z } from "zod";
import type { HubKind } from "../talk/hub-kind.ts";
import { fallbackKey } from "../talk/takeover.ts";

const block = z.strictObject({
  agent: z
    .string()
    .optional()
    .describe(
      "Who the hub is. Default: the only hub, else the only lead, else whom others report to.",
    ),
  canSpawn: z
    .boolean()
    .optional()
    .describe("Whether the hub may ask for more workers. Default: true."),
  assign: z
    .boolean()
    .optional()
    .describe("Whether a worker starts only when the hub writes to it. Default: false."),
  peers: z.boolean().optional().describe("Whether workers may write to each other. Default: true."),
  fallback: fallbackKey.describe(
    "Who takes the place of the hub once that has failed; no worker before. Default: nobody, and the run has failed.",
  ),
});

/** A hub and its workers: what they say wakes the hub, what it says wakes them, and its DONE ends it all. */
export const hubSpokeKind: HubKind = {
  name: "hub-spoke",
  summary: "Workers around a hub that directs them and says when all is done",
  block,
  blockKey: "hub",
  assigns: false,
  hubKey: "hub",
};
