import { z } from "zod";
import type { Action } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { inboxLines } from "../inbox/inbox-table.ts";
import { listInbox } from "../inbox/list-inbox.ts";
import { openMachine } from "../open-machine.ts";

const inboxOptions = z.object({ json: z.boolean().default(false) });

/** `troupe inbox` */
export const inboxAction: Action = async (invocation) => {
  const { io, settings } = invocation;
  const { json: isJson } = inboxOptions.parse(invocation.options);
  const machine = await openMachine(invocation);
  const items = listInbox(machine, invocation);
  const lines = isJson
    ? [JSON.stringify({ v: 1, items })]
    : inboxLines(items, { nowMs: machine.clock.now(), settings });
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.completed;
};
