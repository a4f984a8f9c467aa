import { startPrepared } from "../attend/start-prepared.ts";
import type { ActionOf } from "../command/command.ts";
import type { iterCommand } from "../commands/iter.ts";
import { prepareSeries } from "../prepare/prepare-series.ts";

/** `troupe iter`: one task again and again, each time by a fresh agent. */
export const iterAction: ActionOf<typeof iterCommand> = (invocation) =>
  startPrepared(invocation, {
    exclusive: false,
    prepare: (machine) => prepareSeries(machine, invocation),
  });
