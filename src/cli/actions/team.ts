import { startPrepared } from "../attend/start-prepared.ts";
import type { ActionOf } from "../command/command.ts";
import type { teamCommand } from "../commands/team.ts";
import { prepareTeam } from "../prepare/prepare-team.ts";

/** `troupe team`: a leader and workers over a list of tasks. */
export const teamAction: ActionOf<typeof teamCommand> = (invocation) =>
  startPrepared(invocation, {
    exclusive: false,
    prepare: (machine) => prepareTeam(machine, invocation),
  });
