import type { Host } from "../../../src/contracts/host.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { createHost } from "../../../src/host/host.ts";

/** The real host, without the reaper process: these tests end normally. */
export function createTestHost(): Host {
  return createHost({
    run: "run_aaaaaa",
    clock: systemClock,
    env: process.env,
    reaper: false,
    graceMs: 500,
  });
}
