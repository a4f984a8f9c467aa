import type { RunListing } from "../../app/runs/run-heads.ts";
import { toAskedCall } from "../../foundation/asked-call.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toVisibleText } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readLimit } from "../command/read-count.ts";
import type { inboxCommand } from "../commands/inbox.ts";
import { expiryText, itemLines } from "../inbox/item-lines.ts";
import { findEntry, type InboxEntry, listInbox } from "../inbox/list-inbox.ts";
import { listRuns } from "../runs/list-runs.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Settings } from "../terminal/settings.ts";
import { writeLines } from "../terminal/write-lines.ts";
import { answerCommands } from "../view/parts/answer-commands.ts";
import { wholeLine } from "../view/parts/excerpt.ts";

// What is longer is read better as a whole than in a table.
const MAX_TEXT_CHARS = 200;

/** The inbox for people: one line per thing, and the commands that show and answer it. */
function inboxLines(
  items: readonly InboxEntry[],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: Settings },
): readonly string[] {
  if (items.length === 0) return ["nothing needs you"];
  const rows = fitTable(
    items.map((item) => [
      item.id,
      item.kind,
      formatDuration(Math.max(0, nowMs - Date.parse(item.createdAt))),
      `${item.workflow}@${item.instance}`,
      placeOf(item),
      `"${shortText(item, settings)}"`,
    ]),
    { settings, cuts: [5, 4, 3], drops: [4] },
  );
  const separator = ` ${settings.glyphs.dot} `;
  return items.flatMap((item, index) => [
    settings.paint(rows[index] ?? "", "message"),
    ...(item.expiresAt === null ? [] : [`  ${expiryText(item.expiresAt, nowMs)}`]),
    `  ${commandsOf(item).join(separator)}`,
  ]);
}

/** Whether the table has no room for all that a person has to see before she decides. */
function hasMore(item: InboxEntry): boolean {
  const { tool, input = null, show } = item;
  if (show !== undefined || (tool !== undefined && toAskedCall(tool, input).lines.length > 0))
    return true;
  return item.text.length > MAX_TEXT_CHARS || item.text.includes("\n");
}

function commandsOf(item: InboxEntry): readonly string[] {
  const commands = answerCommands(item, item.run);
  return hasMore(item) ? [`${TROUPE} inbox ${item.id}`, ...commands] : commands;
}

function shortText({ text }: InboxEntry, { glyphs }: Settings): string {
  const line = wholeLine(toVisibleText(text));
  if (line.length <= MAX_TEXT_CHARS) return line;
  return `${line.slice(0, MAX_TEXT_CHARS).toWellFormed()}${glyphs.ellipsis}`;
}

function placeOf({ step, agent }: InboxEntry): string {
  if (agent !== null) return `from ${agent}`;
  return step === null ? "" : `step ${step}`;
}

/** `troupe inbox`: all that waits, or one thing of it whole. */
export const inboxAction: ActionOf<typeof inboxCommand> = async (invocation) => {
  const { args, io, settings } = invocation;
  const { json: isJson } = invocation.options;
  const [given] = args;
  const machine = await openMachine(invocation);
  const limit = readLimit(invocation.options.limit);
  const runs = given === undefined ? listRuns(machine, invocation) : [];
  const items =
    given === undefined ? listInbox(machine, runs).slice(0, limit) : [findEntry(machine, given)];
  const nowMs = machine.clock.now();
  const lines = () =>
    given === undefined
      ? inboxLines(items, { nowMs, settings })
      : items.flatMap((item) => itemLines(item, { nowMs, settings }));
  if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, items })}\n`);
  else await writeLines(invocation, [...lines(), ...foreignLines(runs)]);
  return EXIT.completed;
};

/** What waits in runs that somebody else made is not asked; that there is something is told. */
function foreignLines(runs: readonly RunListing[]): readonly string[] {
  const waiting = runs.filter(({ foreign, state }) => foreign !== null && state === "waiting");
  if (waiting.length === 0) return [];
  const ids = waiting.map(({ run }) => run).join(", ");
  return [`not made by you here, so not asked: ${ids}; ${TROUPE} import RUN makes one yours`];
}
