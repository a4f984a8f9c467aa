import type { ResourceLimits } from "../contracts/host.ts";

/** Bounds that no honest build meets, and that keep a machine alive. */
export const DEFAULT_RESOURCE_LIMITS: ResourceLimits = {
  processes: 4096,
  memoryBytes: 16 * 1024 ** 3,
  openFiles: 65_536,
  fileSizeBytes: 16 * 1024 ** 3,
  logBytes: 64 * 1024 ** 2,
};
