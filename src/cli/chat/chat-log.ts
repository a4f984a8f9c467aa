import { withoutAttachments } from "../../app/run/commands/attached-files.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toAskedCall } from "../../foundation/asked-call.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { cutTo, toSteady, wrapTo } from "../terminal/measure.ts";
import { createScrollback, type Scrollback } from "../view/live/live-rows.ts";
import type { LiveStyle } from "../view/live/live-style.ts";

/** What is said of a chat by what stands below it, or by nothing. */
const SILENT: ReadonlySet<JournalEvent["type"]> = new Set([
  ...(["run-created", "run-started", "run-resumed", "run-suspended", "run-ended"] as const),
  ...(["agent-spawned", "agent-ready", "agent-status", "agent-exited", "session-ended"] as const),
  ...(["turn-started", "tool-returned", "message-delivered", "command-received"] as const),
  ...(["agent-model-set", "compaction-asked"] as const),
  ...(["permission-requested", "approval-requested", "question-asked"] as const),
]);

export interface ChatLogOptions {
  readonly style: LiveStyle;
  readonly print: (line: string) => void;
  /** Whether agents post what they say; else the ends of their turns say it. */
  readonly isPosted: boolean;
}

/** What was said and done, as lines that stay. */
export class ChatLog {
  readonly #options: ChatLogOptions;
  readonly #scrollback: Scrollback;
  /** What was said of the last turn, if that failed. */
  #failure = "";

  constructor(options: ChatLogOptions) {
    this.#options = options;
    this.#scrollback = createScrollback(options.style, options.print);
  }

  /** Tells one event in a terminal of `columns`. `state` is the run after it. */
  show(event: JournalEvent, state: RunState, columns: number): void {
    if (SILENT.has(event.type)) return;
    if (!this.past(event, state, columns)) this.#scrollback.show(event, state, columns);
  }

  /** Tells the person something that is not of the run. */
  tell(text: string, columns: number): void {
    for (const line of text.split("\n"))
      for (const part of wrapTo(toSteady(toPrintable(line)), columns)) this.#print(part, "aside");
  }

  /** The same for what was said before; whether there was anything to tell. */
  past(event: JournalEvent, state: RunState, columns: number): boolean {
    const { glyphs, paint } = this.#options.style;
    switch (event.type) {
      case "message-posted":
        this.#tellMessage(event, columns);
        return true;
      case "turn-completed":
        this.#failure = "";
        if (!this.#options.isPosted)
          this.#tellText(event.text, this.#nameIn(state, event.agent), columns);
        return true;
      case "turn-interrupted":
        if (event.reason === "cancelled")
          this.#print(`${glyphs.skipped} ${event.agent} was interrupted`, "aside");
        return event.reason === "cancelled";
      case "tool-called": {
        const { line } = toAskedCall(event.tool, event.input);
        const text = cutTo(`${glyphs.working} ${toPrintable(line)}`, columns, glyphs.ellipsis);
        this.#options.print(paint(toSteady(text), "aside"));
        return true;
      }
      case "turn-failed":
        this.#tellFailure(event, columns);
        return true;
      case "agent-mode-set":
        // Whoever sets it here is told at once.
        return event.by !== "agent";
      default:
        return false;
    }
  }

  /** Whole: nobody looks elsewhere for why there is no answer. */
  #tellFailure(
    { agent, text, error }: Extract<JournalEvent, { readonly type: "turn-failed" }>,
    columns: number,
  ): void {
    const { glyphs, paint } = this.#options.style;
    if (text !== undefined) this.#tellText(text, undefined, columns);
    const { message, code, hint } = error;
    const isSame = this.#failure === `${agent} ${message}`;
    this.#failure = `${agent} ${message}`;
    if (isSame) {
      this.#print(`${glyphs.failed} ${agent} failed again like that`, "aside");
      return;
    }
    const said = `${glyphs.failed} ${agent} failed: ${message} [${code}]`;
    for (const line of [said, ...(hint === undefined ? [] : [`= ${hint}`])])
      for (const part of toPrintableLines(line).flatMap((each) => wrapTo(toSteady(each), columns)))
        this.#options.print(paint(part, "attention"));
  }

  #tellMessage(
    { from, text }: Extract<JournalEvent, { readonly type: "message-posted" }>,
    columns: number,
  ): void {
    if (from === "system") return;
    if (from !== "user") {
      this.#tellText(text, from, columns);
      return;
    }
    const lines = toPrintableLines(withoutAttachments(text)).flatMap((line) =>
      wrapTo(toSteady(line), columns - 2),
    );
    for (const [index, line] of lines.entries())
      this.#print(`${index === 0 ? ">" : " "} ${line}`, "message");
  }

  #tellText(text: string, who: string | undefined, columns: number): void {
    const whole = text.trim();
    if (whole === "") return;
    if (who !== undefined) this.#print(`@${toPrintable(who)}`, "hint");
    for (const line of toPrintableLines(whole))
      for (const part of wrapTo(toSteady(line), columns)) this.#options.print(part);
  }

  /** Where there is only one, everybody knows who speaks. */
  #nameIn(state: RunState, agent: string): string | undefined {
    return state.agents.size > 1 ? agent : undefined;
  }

  #print(line: string, role: "aside" | "message" | "hint"): void {
    this.#options.print(this.#options.style.paint(line, role));
  }
}
