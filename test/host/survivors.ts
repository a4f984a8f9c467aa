import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHost, type HostOptions, type ProcessHost } from "../../src/host/host.ts";
import { createProcessTable } from "../../src/host/process-table.ts";

/** A text to recognise the processes of one test by: in their environment (TEST_TAG) or arguments. */
export function newTag(): string {
  return `tag${randomBytes(6).toString("hex")}`;
}

/** Pids of living processes that carry the tag, found without any of the host's own marks. */
export async function tagged(tag: string): Promise<readonly number[]> {
  const { entries } = await createProcessTable().list();
  return entries
    .filter((entry) => !entry.isDead && entry.pid !== process.pid)
    .filter((entry) => entry.variable("TEST_TAG") === tag || argumentsOf(entry.pid).includes(tag))
    .map((entry) => entry.pid);
}

/** Resolves with what `look` finds once it satisfies `isEnough`; fails after `deadlineMs`. */
export async function eventually<Found>(
  look: () => Promise<Found> | Found,
  isEnough: (found: Found) => boolean,
  deadlineMs = 120_000,
): Promise<Found> {
  for (const startMs = performance.now(); ; ) {
    const found = await look();
    if (isEnough(found)) return found;
    if (performance.now() - startMs > deadlineMs)
      throw new Error(`not within ${deadlineMs} ms; last found ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** A host for tests: short grace period, no reaper unless asked for. */
export function createTestHost(options: Partial<HostOptions> = {}): ProcessHost {
  return createHost({
    run: "run_test",
    clock: systemClock,
    env: process.env,
    reaper: false,
    graceMs: 200,
    ...options,
  });
}

export const never: AbortSignal = new AbortController().signal;

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
