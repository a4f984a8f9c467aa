import { z } from "zod";
import type { LayerKind } from "../talk/layer-kind.ts";

const DEFAULT_LAYERS = 2;
const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is answered. Default: the task."),
  proposers: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who answers in each layer. Default: all but the aggregator."),
  layers: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(`How often all answer. Default: ${DEFAULT_LAYERS}.`),
  aggregator: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Who makes one answer of the last layer. Default: the only lead, else the last agent.",
    ),
});

/** Many answer in layers, each layer told what the one before said, and one agent makes a single answer of the last. */
export const mixtureOfAgentsKind: LayerKind = {
  name: "mixture-of-agents",
  summary: "Many answer in layers, each on top of the last, and one makes a single answer",
  block,
  keys: { workers: "proposers", gatherer: "aggregator" },
  read: (options) => {
    const { proposers: workers, aggregator: gatherer, layers } = block.parse(options);
    return { workers, gatherer, layers };
  },
  defaultLayers: DEFAULT_LAYERS,
};
