import { z } from "zod";
import type { LayerKind } from "../talk/layer-kind.ts";

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is answered. Default: the task."),
  workers: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who answers. Default: all but the one who gathers."),
  gather: z
    .string()
    .min(1)
    .optional()
    .describe("Who makes one answer of all. Default: the only lead, else the last agent."),
});

/** All answer at once, each its part, and one agent makes a single answer of them. */
export const scatterGatherKind: LayerKind = {
  name: "scatter-gather",
  summary: "All answer at once, and one makes a single answer of them",
  block,
  keys: { workers: "workers", gatherer: "gather" },
  read: (options) => {
    const { workers, gather: gatherer } = block.parse(options);
    return { workers, gatherer, layers: undefined };
  },
  defaultLayers: 1,
};
