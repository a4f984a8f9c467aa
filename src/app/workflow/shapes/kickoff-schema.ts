import { z } from "zod";
import { agentSpecSchema } from "../../../agents/agent-spec-schema.ts";
import { budgetSchema } from "../../../agents/budget/budget-schema.ts";
import type { KickoffDefinition } from "../../../contracts/definition.ts";
import { conversationBoundsSchema, paramSpecSchema } from "./definition-schema.ts";

const sharedFile = z.object({ file: z.string() });

/** A kickoff workflow as journals hold it. */
export const kickoffDefinitionSchema: z.ZodType<KickoffDefinition> = z.object({
  format: z.literal(1),
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
  channel: z.string(),
});
