import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import { toAskedCall } from "../../../foundation/asked-call.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { readableJson } from "../../../foundation/readable-json.ts";
import { TROUPE } from "../../command/called-as.ts";
import { answerCommands } from "../parts/answer-commands.ts";
import { callLinesOf, textOfItem } from "../parts/inbox-text.ts";
import type { LineContext, LineTable, ProgressLine } from "../parts/line-table.ts";

// What is longer reads better in lines of its own.
const MAX_LINE_CHARS = 120;
const MAX_SHOWN_LINES = 40;

/** What people are asked for, how to answer, and what they said. */
export const inboxEventLines: LineTable = {
  "approval-requested": ({ approval, step = "run", agent = step }, context) =>
    asked(agent, approval, context),
  "permission-requested": ({ id, agent, tool, input, ruling, rule }, context) => {
    if (ruling === undefined) return asked(agent, id, context);
    const { glyphs, whole } = context;
    const what = toVisibleText(toAskedCall(tool, input).line);
    // What is allowed is told by what the agent does.
    if (ruling === "allowed") return [];
    const by = rule === undefined ? "policy" : `rule ${toVisibleText(rule)}`;
    return [{ who: agent, what: `${glyphs.failed} denied by ${by}: ${whole(what)}` }];
  },
  "question-asked": ({ id, agent }, context) => asked(agent, id, context),
  "approval-resolved": ({ approval, decision, by, comment }, context) => [
    decided({ id: approval, decision, by, comment }, context),
  ],
  "permission-resolved": ({ id, decision, by, comment }, context) =>
    by === "policy" ? [] : [decided({ id, decision, by, comment }, context)],
  "question-answered": ({ id, by, answer }, context) => [
    decided({ id, decision: "answered", by, comment: answer }, context),
  ],
};

function asked(
  who: string,
  id: string,
  { state, glyphs, whole }: LineContext,
): readonly ProgressLine[] {
  const item = state.inbox.get(id);
  // Decided in the same moment, for example by a policy: there is nothing to ask for.
  if (item === undefined) return [];
  const commands = answerCommands(item, state.run.id).join(` ${glyphs.dot} `);
  return [
    { who, what: `${glyphs.attention} ${item.kind} ${id}: "${whole(textOfItem(item))}"` },
    ...shownLines(item, whole).map((what) => ({ who, what })),
    { who, what: `  ${commands}` },
  ];
}

/** What the line of an item leaves out: in one line if it is short, else as far as a log has room for it. */
function shownLines(item: InboxItem, whole: LineContext["whole"]): readonly string[] {
  const call = callLinesOf(item);
  if (call.length > 0) return cutLines(call, item.id, whole);
  if (item.kind !== "approval" || item.show === undefined) return [];
  const [first = "", ...rest] = toVisibleText(readableJson(item.show)).split("\n");
  if (rest.length === 0 && first.length <= MAX_LINE_CHARS) return [`  to be approved: ${first}`];
  return ["  to be approved:", ...cutLines([first, ...rest], item.id, whole)];
}

function cutLines(
  lines: readonly string[],
  id: string,
  whole: LineContext["whole"],
): readonly string[] {
  const more = lines.length - MAX_SHOWN_LINES;
  return [
    ...lines.slice(0, MAX_SHOWN_LINES).map((each) => `    ${cut(each, whole)}`),
    ...(more > 0 ? [`    and ${more} more lines: ${TROUPE} inbox ${id}`] : []),
  ];
}

/** Spaces in front say how deep something lies. */
function cut(line: string, whole: LineContext["whole"]): string {
  const text = line.trimStart();
  return `${" ".repeat(line.length - text.length)}${whole(text)}`;
}

interface Decision {
  readonly id: string;
  readonly decision: string;
  readonly by: string;
  readonly comment: string | undefined;
}

function decided(
  { id, decision, by, comment }: Decision,
  { glyphs, excerpt }: LineContext,
): ProgressLine {
  const isNo = decision === "rejected" || decision === "denied";
  const tail = comment === undefined ? "" : `: ${excerpt(comment)}`;
  const sign = isNo ? glyphs.failed : glyphs.done;
  return { who: "run", what: `${sign} ${id} ${decision} by ${excerpt(by)}${tail}` };
}
