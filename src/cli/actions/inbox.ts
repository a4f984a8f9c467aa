import { z } from "zod";
import type { Machine } from "../../app/machine/machine.ts";
import { readRunList } from "../../app/runs/run-index.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Action } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { inboxLines } from "../inbox/inbox-table.ts";
import { itemLines } from "../inbox/item-lines.ts";
import { findEntry, listInbox } from "../inbox/list-inbox.ts";

const inboxOptions = z.object({ json: z.boolean().default(false) });

/** `troupe inbox`: all that waits, or one thing of it whole. */
export const inboxAction: Action = async (invocation) => {
  const { args, io, settings } = invocation;
  const { json: isJson } = inboxOptions.parse(invocation.options);
  const [given] = args;
  const machine = await openMachine(invocation);
  const items = given === undefined ? listInbox(machine, invocation) : [findEntry(machine, given)];
  const nowMs = machine.clock.now();
  const lines = () =>
    given === undefined
      ? inboxLines(items, { nowMs, settings })
      : items.flatMap((item) => itemLines(item, { nowMs, glyphs: settings.glyphs }));
  const foreign = given === undefined && !isJson ? foreignLines(machine) : [];
  const shown = isJson ? [JSON.stringify({ v: 1, items })] : [...lines(), ...foreign];
  io.stdout.write(`${shown.join("\n")}\n`);
  return EXIT.completed;
};

/** What waits in runs that somebody else made is not asked; that there is something is told. */
function foreignLines(machine: Machine): readonly string[] {
  const { runs } = readRunList(machine);
  const waiting = runs.filter(({ foreign, state }) => foreign !== null && state === "waiting");
  if (waiting.length === 0) return [];
  const ids = waiting.map(({ run }) => run).join(", ");
  return [`not made by you here, so not asked: ${ids}; ${TROUPE} import RUN makes one yours`];
}
