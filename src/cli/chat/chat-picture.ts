import type { InboxItem } from "../../fold/state/inbox-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { cutTo, toSteady, wrapTo } from "../terminal/measure.ts";
import { draftLines } from "../view/live/editor-lines.ts";
import type { LiveStyle } from "../view/live/live-style.ts";
import type { ActivityLog, TurnActivity } from "../view/live/turn-activity.ts";
import { callLinesOf, textOfItem } from "../view/parts/inbox-text.ts";
import type { ChatInput } from "./chat-input.ts";

const MOST_SAID_LINES = 12;
const MOST_ASKED_LINES = 6;
const MOST_DRAFT_LINES = 10;

/** An agent at work. */
export interface WorkingAgent {
  readonly agent: string;
  readonly activity: TurnActivity | undefined;
}

/** The agents at work, but for those that follow others. */
export function workingAgents(
  { agents }: RunState,
  activity: Pick<ActivityLog, "of">,
): readonly WorkingAgent[] {
  return [...agents.values()].flatMap(({ id, turns, spec }) =>
    spec.shadow === undefined
      ? [...turns.keys()].map((turn) => ({ agent: id, activity: activity.of(id, turn) }))
      : [],
  );
}

/** What is shown below the lines that stay. */
export interface ChatScreen {
  readonly state: RunState;
  readonly input: ChatInput;
  readonly addressee: string;
  readonly working: readonly WorkingAgent[];
  readonly item: InboxItem | undefined;
  /** Modes that were started from here and go on. */
  readonly others: readonly string[];
  readonly size: { readonly columns: number; readonly rows: number };
}

/** The bottom of a chat, in lines that are narrower than the terminal. */
export function chatPicture(screen: ChatScreen, style: LiveStyle): readonly string[] {
  const { size, input, item } = screen;
  const columns = Math.max(10, size.columns - 1);
  const bottom = [
    ...askedLines(item, columns, style),
    style.paint(style.signs.rule.repeat(columns), "aside"),
    ...promptLines(input, columns, style),
    style.paint(cutTo(statusOf(screen, style), columns, style.glyphs.ellipsis), "aside"),
  ];
  const room = Math.max(0, Math.min(MOST_SAID_LINES, size.rows - bottom.length - 1));
  return [...sayingLines(screen, columns, style).slice(-room || undefined), ...bottom].slice(
    -Math.max(3, size.rows - 1),
  );
}

/** What agents say and do now; the end of it. */
function sayingLines(
  { working, input, others }: ChatScreen,
  columns: number,
  { glyphs, paint }: LiveStyle,
): readonly string[] {
  const said = working.flatMap(({ agent, activity }) => {
    const { text = "", lastTool } = activity ?? {};
    const tool = lastTool === undefined ? "" : `${lastTool.tool} ${lastTool.input}`;
    return [
      ...toPrintableLines(text).flatMap((line) => wrapTo(toSteady(line), columns)),
      ...(lastTool?.status === "running"
        ? [
            paint(
              cutTo(`${glyphs.working} ${toPrintable(tool)}`, columns, glyphs.ellipsis),
              "working",
            ),
          ]
        : []),
      ...(text === "" && lastTool === undefined
        ? [paint(`${glyphs.working} ${toPrintable(agent)} works`, "working")]
        : []),
    ];
  });
  const waiting = [
    ...others.map((text) => `${glyphs.working} ${text}`),
    ...input.queue.map((text) => `${glyphs.paused} then: ${toPrintable(text)}`),
  ];
  return [...said, ...waiting.map((line) => paint(cutTo(line, columns, glyphs.ellipsis), "aside"))];
}

function askedLines(
  item: InboxItem | undefined,
  columns: number,
  { glyphs, paint }: LiveStyle,
): readonly string[] {
  if (item === undefined) return [];
  const who = item.agent === undefined ? "" : ` of ${toPrintable(item.agent)}`;
  const head = `${glyphs.attention} ${item.kind}${who}`;
  const keys =
    item.kind === "question"
      ? "write the answer, then enter"
      : `y yes ${glyphs.dot} n no${item.kind === "permission" ? ` ${glyphs.dot} w always in this run` : ""}`;
  const text = [textOfItem(item), ...callLinesOf(item)]
    .flatMap((part) => toPrintableLines(part))
    .flatMap((line) => wrapTo(toSteady(line), columns));
  const choices =
    item.kind === "question"
      ? (item.options ?? []).map((option, index) => `${index + 1} ${toPrintable(option)}`)
      : [];
  return [
    paint(cutTo(head, columns, glyphs.ellipsis), "attention"),
    ...text.slice(0, MOST_ASKED_LINES),
    ...leftOut(text.length - MOST_ASKED_LINES, glyphs.ellipsis).map((line) =>
      paint(cutTo(line, columns, glyphs.ellipsis), "attention"),
    ),
    ...choices.map((line) => cutTo(line, columns, glyphs.ellipsis)),
    paint(keys, "hint"),
  ];
}

/** Nobody should say yes to what she has not seen. */
function leftOut(count: number, ellipsis: string): readonly string[] {
  const lines = count === 1 ? "line" : "lines";
  return count > 0 ? [`${ellipsis} ${count} more ${lines}: /inbox shows all of it`] : [];
}

function promptLines({ draft }: ChatInput, columns: number, style: LiveStyle): readonly string[] {
  const lead = "> ";
  const lines = draftLines(
    draft,
    { columns: columns - lead.length, rows: MOST_DRAFT_LINES },
    style,
  );
  return lines.map((line, index) => `${index === 0 ? lead : "  "}${line}`);
}

function statusOf({ state, input, addressee, working }: ChatScreen, { glyphs }: LiveStyle): string {
  if (input.notice !== "") return toPrintable(input.notice);
  const doing = working.length > 0 ? "esc interrupts" : "enter sends";
  return [`@${toPrintable(addressee)}`, state.run.id, doing, "alt-enter new line", "/help"].join(
    ` ${glyphs.dot} `,
  );
}
