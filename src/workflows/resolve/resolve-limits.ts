import type { ResourceLimits } from "../../contracts/host.ts";
import { present } from "../../foundation/present.ts";
import { parseSize } from "../../foundation/size.ts";
import type { AgentLimitsEntry } from "../schema/agent-limits-schema.ts";

/** The limits that are written, in bytes; what is left out is left out. */
export function resolveLimits(entry: AgentLimitsEntry): Partial<ResourceLimits> {
  const { processes, openFiles } = entry;
  const memoryBytes = bytesOf(entry.memory);
  const fileSizeBytes = bytesOf(entry.fileSize);
  const logBytes = bytesOf(entry.log);
  return {
    ...present({ processes, memoryBytes, openFiles, fileSizeBytes, logBytes }),
  };
}

/** The limits of an agent, as a member of its declaration; nothing when it has none. */
export function resolveAgentLimits(entry: AgentLimitsEntry | undefined): {
  readonly limits?: Partial<ResourceLimits>;
} {
  const limits = resolveLimits(entry ?? {});
  return Object.keys(limits).length === 0 ? {} : { limits };
}

function bytesOf(size: string | undefined): number | undefined {
  return size === undefined ? undefined : parseSize(size);
}
