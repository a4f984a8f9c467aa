import { startPrepared } from "../attend/start-prepared.ts";
import type { ActionOf } from "../command/command.ts";
import type { collabCommand } from "../commands/collab.ts";
import { prepareCollab } from "../prepare/prepare-collab.ts";

/** `troupe collab`: one agent that spawns others as it needs them. */
export const collabAction: ActionOf<typeof collabCommand> = (invocation) =>
  startPrepared(invocation, {
    exclusive: false,
    prepare: (machine) => prepareCollab(machine, invocation),
  });
