import { startPrepared } from "../attend/start-prepared.ts";
import type { ActionOf } from "../command/command.ts";
import type { iterCommand } from "../commands/iter.ts";
import { prepareRun } from "../prepare/prepare-run.ts";
import { seriesWorkflow } from "../prepare/series-workflow.ts";

/** `troupe iter`: one task again and again, each time by a fresh agent. */
export const iterAction: ActionOf<typeof iterCommand> = (invocation) =>
  startPrepared(invocation, {
    exclusive: false,
    prepare: async (machine) => {
      const asked = await seriesWorkflow(machine, invocation);
      return prepareRun(machine, invocation, { asked });
    },
  });
