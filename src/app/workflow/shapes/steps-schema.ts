import { z } from "zod";
import { agentSpecSchema } from "../../../agents/agent-spec-schema.ts";
import { budgetSchema } from "../../../agents/budget/budget-schema.ts";
import type { StepsDefinition, WorkflowDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import {
  paramSpecSchema,
  patternDefinitionSchema,
  verificationSpecSchema,
} from "./definition-schema.ts";
import { kickoffDefinitionSchema } from "./kickoff-schema.ts";

const flowStep: z.ZodType<FlowStep> = z.object({
  id: z.string(),
  type: z.string(),
  description: z.string().exactOptional(),
  when: z.string().exactOptional(),
  routes: z.record(z.string(), z.string()),
  maxAttempts: z.number().int().min(1),
  retryDelayMs: z.number(),
  passEnv: z.array(z.string()).exactOptional(),
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
  input: z.string().exactOptional(),
  output: z.string().exactOptional(),
  verify: z.array(verificationSpecSchema),
  steps: z.array(z.lazy(() => flowStep)),
  settings: z.record(z.string(), z.json()),
});

/** A workflow of any shape: what steps run as a child. */
const anyDefinition: z.ZodType<WorkflowDefinition> = z.lazy(() =>
  z.union([patternDefinitionSchema, kickoffDefinitionSchema, stepsDefinitionSchema]),
);

/** A step workflow as journals hold it. */
export const stepsDefinitionSchema: z.ZodType<StepsDefinition> = z.object({
  format: z.literal(1),
  shape: z.literal("steps"),
  name: z.string(),
  description: z.string().exactOptional(),
  params: z.record(z.string(), paramSpecSchema),
  agents: z.array(agentSpecSchema),
  prompts: z.record(z.string(), z.string()),
  steps: z.array(flowStep),
  parallel: z.boolean(),
  initialContext: z.record(z.string(), z.json()),
  maxIterations: z.number(),
  maxDurationMs: z.number(),
  maxErrors: z.number(),
  maxConcurrency: z.number().exactOptional(),
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
  channel: z.string(),
  workflows: z.record(z.string(), anyDefinition),
});
