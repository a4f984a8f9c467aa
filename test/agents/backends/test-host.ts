import { type Clock, systemClock } from "../../../src/foundation/clock.ts";
import { createHost, type ProcessHost } from "../../../src/host/host.ts";

/** The real host, without the reaper process: these tests end normally. */
export function createTestHost(clock: Clock = systemClock): ProcessHost {
  return createHost({
    run: "run_aaaaaa",
    clock,
    env: process.env,
    reaper: false,
    graceMs: 500,
  });
}
