import { z } from "zod";
import { agentSpecSchema } from "../../../agents/agent-spec-schema.ts";
import { budgetSchema } from "../../../agents/budget/budget-schema.ts";
import type {
  KickoffDefinition,
  PatternDefinition,
  PrunerSpec,
} from "../../../contracts/definition.ts";
import { FAILURE_POLICIES, PARAM_TYPES } from "../../../contracts/definition.ts";
import { PATTERN_FUNCTIONS } from "../../../contracts/pattern-functions.ts";
import type { ReflectionSpec } from "../../../contracts/reflection.ts";
import type {
  BarrierSpec,
  CompensationSpec,
  StepSpec,
  VerificationSpec,
} from "../../../contracts/step.ts";
import { BARRIER_TYPES } from "../../../contracts/step.ts";
import type { StigmergySpec } from "../../../contracts/stigmergy.ts";
import type { TrajectorySpec } from "../../../contracts/trajectory.ts";
import { sparseObject } from "../../../foundation/sparse-object.ts";

// A definition comes back from a journal that may be old or from another version: it is parsed like any input.

const protect = z.array(z.string()).exactOptional();

/** A check of a step as journals hold it. */
export const verificationSpecSchema: z.ZodType<VerificationSpec> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("command"),
    command: z.union([z.string(), z.array(z.string())]),
    expectExit: z.number(),
    timeoutMs: z.number().exactOptional(),
    tellsTests: z.boolean().exactOptional(),
    passEnv: z.array(z.string()).exactOptional(),
    protect,
  }),
  z.object({ kind: z.literal("fileExists"), path: z.string(), protect }),
  z.object({
    kind: z.literal("outputMatches"),
    pattern: z.string(),
    in: z.literal("text").exactOptional(),
    protect,
  }),
  z.object({
    kind: z.literal("jsonSchema"),
    schema: z.record(z.string(), z.unknown()),
    protect,
  }),
  z.object({ kind: z.literal("gitChanged"), changed: z.boolean(), protect }),
]);

const run = z.object({
  command: z.union([z.string(), z.array(z.string())]),
  cwd: z.string().exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  passEnv: z.array(z.string()).exactOptional(),
  allowFailure: z.boolean().exactOptional(),
});

const compensation: z.ZodType<CompensationSpec> = z.union([
  z.object({ timeoutMs: z.number(), agent: z.string(), prompt: z.string() }),
  z.object({ timeoutMs: z.number(), run }),
]);

const step: z.ZodType<StepSpec> = sparseObject(
  z.object({
    id: z.string(),
    instance: z
      .object({
        of: z.string(),
        matrix: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      })
      .exactOptional(),
    gathers: z
      .object({ maxConcurrency: z.number().int().min(1).exactOptional(), failFast: z.boolean() })
      .exactOptional(),
    agent: z.string().exactOptional(),
    run: run.exactOptional(),
    runs: z.enum(["always", "on-failure"]).exactOptional(),
    prompt: z.string().exactOptional(),
    dependsOn: z.array(z.string()),
    when: z.string().exactOptional(),
    expects: z.string().exactOptional(),
    maxAttempts: z.number().int().min(1),
    retryDelayMs: z.number(),
    timeoutMs: z.number().exactOptional(),
    budget: budgetSchema.exactOptional(),
    verify: z.array(verificationSpecSchema),
    compensate: compensation.exactOptional(),
    fallback: z.array(z.string()),
    escalateTo: z.string().exactOptional(),
    receivesPreviousOutput: z.boolean().exactOptional(),
  }),
);

const barrier: z.ZodType<BarrierSpec> = z.object({
  id: z.string(),
  waitFor: z.array(z.string()),
  steps: z.array(z.string()).exactOptional(),
  signal: z.string(),
  type: z.enum(BARRIER_TYPES),
  timeoutMs: z.number().exactOptional(),
});

/** What ends a conversation, as journals hold it. */
const conversationBoundsSchema = z.object({
  turnsPerAgent: z.number().exactOptional(),
  messages: z.number().exactOptional(),
  pingPong: z.number().exactOptional(),
});

/** A typed input as journals hold it. */
export const paramSpecSchema = z.object({
  type: z.enum(PARAM_TYPES),
  values: z.array(z.string()).exactOptional(),
  default: z.union([z.string(), z.number(), z.boolean()]).exactOptional(),
  required: z.boolean(),
  description: z.string().exactOptional(),
});

/** What a workflow says of trajectories, as journals hold it. */
export const trajectorySpecSchema: z.ZodType<TrajectorySpec> = z.object({
  agentName: z.string(),
  dataDir: z.string().exactOptional(),
  taskSource: z
    .object({ system: z.string(), id: z.string(), url: z.string().exactOptional() })
    .exactOptional(),
  autoRecordMessages: z.boolean(),
  autoRecordReflections: z.boolean(),
  learnFrom: z.literal(true).exactOptional(),
});

const reflectionSpecSchema: z.ZodType<ReflectionSpec> = z.object({
  threshold: z.number().positive(),
  reflector: z.string().exactOptional(),
  prompt: z.string().exactOptional(),
  scorer: z.string().exactOptional(),
  functions: z.array(z.enum(["onReflect", "scorer"])).exactOptional(),
});

const stigmergySpecSchema: z.ZodType<StigmergySpec> = z.object({
  namespace: z.string(),
  decayRate: z.number(),
  minThreshold: z.number(),
  reinforcement: z.enum(["additive", "multiplicative", "max"]),
});

const prunerSpecSchema: z.ZodType<PrunerSpec> = z.object({
  evaluator: z.string(),
  pruneThreshold: z.number().exactOptional(),
  beamWidth: z.number().int().min(1).exactOptional(),
  evaluationIntervalMs: z.number().positive(),
});

/** A pattern workflow as journals hold it. */
export const patternDefinitionSchema: z.ZodType<PatternDefinition> = z.object({
  format: z.literal([1, 2]),
  shape: z.literal("pattern"),
  name: z.string(),
  description: z.string().exactOptional(),
  pattern: z.string(),
  params: z.record(z.string(), paramSpecSchema),
  agents: z.array(agentSpecSchema),
  steps: z.array(step),
  barriers: z.array(barrier),
  onFailure: z.enum(FAILURE_POLICIES),
  maxConcurrency: z.number().exactOptional(),
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
  trajectory: trajectorySpecSchema.exactOptional(),
  reflection: reflectionSpecSchema.exactOptional(),
  stigmergy: stigmergySpecSchema.exactOptional(),
  pruner: prunerSpecSchema.exactOptional(),
  channel: z.string(),
  options: z.record(z.string(), z.json()),
  functions: z.array(z.enum(PATTERN_FUNCTIONS)).exactOptional(),
  goal: z.string().exactOptional(),
  mode: z.enum(["sequential", "parallel", "dag"]).exactOptional(),
  turns: z
    .object({
      maxAttempts: z.number().int().min(1),
      retryDelayMs: z.number(),
      timeoutMs: z.number().exactOptional(),
      bounds: conversationBoundsSchema.exactOptional(),
    })
    .exactOptional(),
  bounds: conversationBoundsSchema.exactOptional(),
  within: z
    .object({
      path: z.string(),
      execution: z.number(),
      task: z.string().exactOptional(),
      told: z
        .array(z.object({ text: z.string(), source: z.string().exactOptional() }))
        .exactOptional(),
    })
    .exactOptional(),
});

const sharedFile = z.object({ file: z.string() });

/** A kickoff workflow as journals hold it. */
export const kickoffDefinitionSchema: z.ZodType<KickoffDefinition> = z.object({
  format: z.literal([1, 2]),
  shape: z.literal("kickoff"),
  name: z.string(),
  description: z.string().exactOptional(),
  params: z.record(z.string(), paramSpecSchema),
  agents: z.array(agentSpecSchema),
  context: z
    .object({
      directory: z.string(),
      channel: sharedFile.exactOptional(),
      document: sharedFile.exactOptional(),
    })
    .exactOptional(),
  setup: z.array(
    z.object({
      shell: z.string(),
      as: z.string().exactOptional(),
      timeoutMs: z.number().exactOptional(),
    }),
  ),
  setupDirectory: z.string(),
  kickoff: z.string().exactOptional(),
  until: z.enum(["idle", "stopped"]),
  quietMs: z.number(),
  bounds: conversationBoundsSchema,
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
  trajectory: trajectorySpecSchema.exactOptional(),
  channel: z.string(),
});
