import type { ResourceLimits } from "../../contracts/host.ts";
import { parseSize } from "../../foundation/size.ts";
import { DEFAULT_RESOURCE_LIMITS } from "../../host/resource-limits.ts";
import type { AgentLimitSettings } from "./config-settings.ts";

/** What programs of agents may take of this machine, with the defaults for what is not configured. */
export function resourceLimits(settings: AgentLimitSettings = {}): ResourceLimits {
  const { processes, memory = "", openFiles, fileSize = "", log = "" } = settings;
  const defaults = DEFAULT_RESOURCE_LIMITS;
  return {
    processes: processes ?? defaults.processes,
    memoryBytes: parseSize(memory) ?? defaults.memoryBytes,
    openFiles: openFiles ?? defaults.openFiles,
    fileSizeBytes: parseSize(fileSize) ?? defaults.fileSizeBytes,
    logBytes: parseSize(log) ?? defaults.logBytes,
  };
}
