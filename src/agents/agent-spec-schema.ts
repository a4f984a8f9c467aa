import { z } from "zod";
import type { AgentSpec } from "../contracts/agent.ts";
import { AGENT_ROLES, EFFORTS, PERMISSION_MODES } from "../contracts/agent.ts";
import { SHADOW_TRIGGERS } from "../contracts/shadow.ts";
import { sparseObject } from "../foundation/sparse-object.ts";
import { budgetSchema } from "./budget/budget-schema.ts";

const shadowBindingSchema = z.object({
  of: z.string(),
  receiveIncoming: z.boolean(),
  receiveOutgoing: z.boolean(),
  speakOn: z.array(z.enum(SHADOW_TRIGGERS)),
});

const patterns = z.array(z.string());
const constraintsSchema = z.object({
  fileScope: z
    .object({ include: patterns.exactOptional(), exclude: patterns.exactOptional() })
    .exactOptional(),
  readOnly: patterns.exactOptional(),
  network: z.boolean().exactOptional(),
});

const amount = z.int().positive().exactOptional();
const limitsSchema = z.object({
  processes: amount,
  memoryBytes: amount,
  openFiles: amount,
  fileSizeBytes: amount,
  logBytes: amount,
});

const texts = z.record(z.string(), z.string()).exactOptional();
const mcpServersSchema = z.record(
  z.string(),
  z.union([
    z.object({ url: z.string(), headers: texts }),
    z.object({ command: z.string(), args: z.array(z.string()).exactOptional(), env: texts }),
  ]),
);

/** An agent's declaration as journals and definitions hold it. */
export const agentSpecSchema: z.ZodType<AgentSpec> = sparseObject(
  z.object({
    id: z.string(),
    name: z.string().exactOptional(),
    role: z.enum(AGENT_ROLES).exactOptional(),
    backend: z.string(),
    model: z.string().exactOptional(),
    session: z.enum(["fresh", "keep"]).exactOptional(),
    reportsTo: z.string().exactOptional(),
    task: z.string().exactOptional(),
    wakes: z.enum(["reports", "never"]).exactOptional(),
    writesTo: z.array(z.string()).exactOptional(),
    channels: z.array(z.string()).exactOptional(),
    signals: z.array(z.string()).exactOptional(),
    subagent: z.enum(["foreground", "background"]).exactOptional(),
    spawnedBy: z.string().exactOptional(),
    copyOf: z.string().exactOptional(),
    type: z.string().exactOptional(),
    cwd: z.string().exactOptional(),
    env: z.record(z.string(), z.string()).exactOptional(),
    envFrom: z.record(z.string(), z.string()).exactOptional(),
    permissionMode: z.enum(PERMISSION_MODES).exactOptional(),
    isolation: z.enum(["worktree", "sandbox"]).exactOptional(),
    constraints: constraintsSchema.exactOptional(),
    limits: limitsSchema.exactOptional(),
    onCrash: z.enum(["resume", "restart", "fail"]).exactOptional(),
    idleTimeoutMs: z.number().exactOptional(),
    demandsSignal: z.boolean().exactOptional(),
    budget: budgetSchema.exactOptional(),
    tools: z.array(z.string()).exactOptional(),
    disallowedTools: z.array(z.string()).exactOptional(),
    maxTurns: z.int().positive().exactOptional(),
    effort: z.enum(EFFORTS).exactOptional(),
    maxOutputTokens: z.int().positive().exactOptional(),
    mcpServers: mcpServersSchema.exactOptional(),
    autoApprovePlanMode: z.boolean().exactOptional(),
    asks: z.array(z.string()).exactOptional(),
    spawns: z.boolean().exactOptional(),
    nativeAgents: z.literal("allow").exactOptional(),
    shadow: shadowBindingSchema.exactOptional(),
    settings: z.record(z.string(), z.json()).exactOptional(),
  }),
);
