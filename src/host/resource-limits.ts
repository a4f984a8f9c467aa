import type { ResourceLimits } from "../contracts/host.ts";

/** What is limited, in the order in which it is shown. */
export const LIMIT_NAMES = [
  "processes",
  "memoryBytes",
  "openFiles",
  "fileSizeBytes",
  "logBytes",
] as const satisfies readonly (keyof ResourceLimits)[];

/** Bounds that no honest build meets, and that keep a machine alive. */
export const DEFAULT_RESOURCE_LIMITS: ResourceLimits = {
  processes: 4096,
  memoryBytes: 16 * 1024 ** 3,
  openFiles: 65_536,
  fileSizeBytes: 16 * 1024 ** 3,
  logBytes: 64 * 1024 ** 2,
};

/** The limits, none above its ceiling. */
export function withinCeilings(
  limits: Partial<ResourceLimits>,
  ceilings: Partial<ResourceLimits>,
): Partial<ResourceLimits> {
  const entries = LIMIT_NAMES.flatMap((name) => {
    const asked = limits[name];
    return asked === undefined ? [] : [[name, Math.min(asked, ceilings[name] ?? asked)] as const];
  });
  return Object.fromEntries(entries);
}
