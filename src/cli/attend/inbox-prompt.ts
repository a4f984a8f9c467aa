import type { AskedBelow } from "../../app/runs/families/asked-below.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { isEditable, toWaitingItem } from "../../fold/waiting.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Json } from "../../foundation/json.ts";
import { TROUPE } from "../command/called-as.ts";
import { editShown } from "../inbox/edit-shown.ts";
import { itemLines } from "../inbox/item-lines.ts";
import { type InboxEntry, toEntry } from "../inbox/list-inbox.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";
import { answerCommands, describeItem } from "../view/parts/answer-commands.ts";
import { wholeLine } from "../view/parts/excerpt.ts";
import { callLinesOf, textOfItem } from "../view/parts/inbox-text.ts";
import { choicesFor, type PromptStage, readPromptLine } from "./prompt-line.ts";

// Owns the lines that a person types while a run goes on.
// I1: one item is asked at a time, and a line decides that item or none.
// I2: when an item is decided elsewhere while it is asked, the next line may have been meant for it, so it
//     decides nothing.
// I3: an item that was put off is not asked again by itself; it goes on waiting.

/** What the prompt works with. */
export interface InboxPromptOptions {
  readonly io: Io;
  readonly settings: Settings;
  /** Carries out a decision, in the run below that asks for it if one does. */
  readonly command: (command: RunCommand, below?: string) => Promise<unknown>;
  /** What the runs below ask. */
  readonly below: (state: RunState) => ReadonlyMap<string, AskedBelow>;
  /** Tells what became of a decision that was refused. */
  readonly onRefused: (error: unknown) => void;
}

interface Question {
  readonly item: InboxItem;
  stage: PromptStage;
}

/** Asks the person at the terminal for what a run waits for. */
export class InboxPrompt {
  readonly #options: InboxPromptOptions;
  readonly #skipped = new Set<string>();
  readonly #sent = new Set<string>();
  #state: RunState | undefined;
  #below: ReadonlyMap<string, AskedBelow> = new Map();
  readonly #shown = new Set<string>();
  #question: Question | undefined;
  /** The item that was decided elsewhere while it was asked, until a line was typed (I2). */
  #gone: string | undefined;
  #stopReading: (() => void) | undefined;
  #isInputOver = false;
  /** Whether another program has the terminal. */
  #isAway = false;
  /** Whether the cursor stands behind a question. */
  #isPainted = false;

  constructor(options: InboxPromptOptions) {
    this.#options = options;
  }

  /** Looks at what waits now; called after each event, when its lines are on the screen. */
  sync(state: RunState): void {
    this.#state = state;
    this.#below = this.#options.below(state);
    if (this.#isInputOver || this.#isAway) return;
    const question = this.#question;
    if (question !== undefined && !this.#isOpen(question.item.id)) this.#takeOff(question);
    this.#question ??= this.#next();
    if (this.#waiting().length === 0 && this.#gone === undefined) return;
    this.#stopReading ??= this.#options.io.stdin.readLines(
      (line) => this.#take(line),
      () => this.#endInput(),
    );
    this.#repaint();
  }

  /** Ends the line of a question, so that another line can be written. */
  interrupt(): void {
    if (this.#isPainted) this.#options.io.stdout.write("\n");
    this.#isPainted = false;
  }

  /** Ends the reading. Idempotent. */
  close(): void {
    this.#isInputOver = true;
    this.#stopReading?.();
    this.#stopReading = undefined;
  }

  /** All that can be decided, oldest first, then what the runs below ask. */
  #waiting(): readonly InboxItem[] {
    const own = this.#state?.inbox.values() ?? [];
    const below = [...this.#below.values()].map(({ item }) => item);
    return [...own, ...below].filter(({ id }) => !this.#sent.has(id));
  }

  #isOpen(id: string): boolean {
    return this.#state?.inbox.has(id) === true || this.#below.has(id);
  }

  #entryOf(item: InboxItem, state: RunState): InboxEntry {
    const asking = this.#below.get(item.id)?.state ?? state;
    return toEntry(toWaitingItem(item), asking, state.run.id);
  }

  #next(): Question | undefined {
    const item = this.#waiting().find(({ id }) => !this.#skipped.has(id));
    return item === undefined ? undefined : { item, stage: { kind: "asked" } };
  }

  #takeOff({ item, stage }: Question): void {
    const isOurs = this.#sent.delete(item.id);
    this.interrupt();
    this.#question = undefined;
    if (isOurs) return;
    this.#gone = item.id;
    if (stage.kind === "lines" && stage.lines.length > 0)
      this.#tell([
        `${item.id} was decided elsewhere; what you wrote was not used:`,
        ...stage.lines,
      ]);
  }

  #repaint(): void {
    if (this.#isPainted || this.#isAway) return;
    const text = this.#promptText();
    if (text === "") return;
    this.#showBelow();
    this.#isPainted = true;
    this.#options.io.stdout.write(text);
  }

  /** What an item of this run shows stands in the lines above; that of a run below is shown before it is asked. */
  #showBelow(): void {
    const question = this.#question;
    if (question === undefined || !this.#below.has(question.item.id)) return;
    const hasMore = isEditable(question.item) || callLinesOf(question.item).length > 0;
    if (!hasMore || this.#shown.has(question.item.id)) return;
    this.#shown.add(question.item.id);
    this.#view(question);
  }

  #promptText(): string {
    if (this.#gone !== undefined) return `${this.#gone} was decided elsewhere. Enter to go on > `;
    const waiting = this.#waiting();
    const question = this.#question;
    if (question === undefined)
      return waiting.length === 0 ? "" : `${waiting.length} put off  [n]ext  [l]ist > `;
    const { item, stage } = question;
    if (stage.kind === "reason") return "why? (may be empty) ";
    if (stage.kind === "comment") return "what do you want to say? (may be empty) ";
    if (stage.kind === "lines") return `${this.#options.settings.glyphs.ellipsis} `;
    if (this.#sent.has(item.id)) return "";
    const { attention } = this.#options.settings.glyphs;
    const asked = describeItem(toWaitingItem(item), wholeLine(textOfItem(item)));
    const place = placeOf(item, waiting) + 1;
    const many = waiting.length > 1 ? `  (${place} of ${waiting.length}, ? for help)` : "";
    return `${attention} ${asked}${many}  ${choicesFor(item)}> `;
  }

  #take(line: string): void {
    // The terminal has gone to the next line.
    this.#isPainted = false;
    if (this.#gone !== undefined) {
      if (line.trim() !== "") this.#tell([`not used: ${line}`]);
      this.#gone = undefined;
    } else if (this.#question === undefined || !this.#sent.has(this.#question.item.id)) {
      this.#obey(line);
    }
    this.#repaint();
  }

  #obey(line: string): void {
    const question = this.#question;
    const reading = readPromptLine(line, question);
    switch (reading.kind) {
      case "decide":
        this.#send(reading.command);
        break;
      case "stage":
        if (question !== undefined) question.stage = reading.stage;
        break;
      case "edit":
        // Whatever goes wrong is told.
        if (question !== undefined) void this.#edit(question);
        break;
      case "skip":
        this.#skip(question);
        break;
      case "choose":
        this.#choose(reading.number);
        break;
      case "view":
        if (question !== undefined) this.#view(question);
        break;
      case "list":
        this.#tell(this.#listLines());
        break;
      case "help":
        this.#tell(reading.lines);
        break;
      case "nothing":
        break;
    }
  }

  #send(command: RunCommand): void {
    const question = this.#question;
    if (question === undefined) return;
    const { id } = question.item;
    this.#sent.add(id);
    this.#options.command(command, this.#below.get(id)?.state.run.id).catch((error: unknown) => {
      this.#sent.delete(id);
      this.#options.onRefused(error);
      // Asked again at the next event, unless it was decided elsewhere.
      if (this.#question === question) this.#question = undefined;
    });
  }

  /** Gives the terminal to the person's editor, then approves what she wrote. */
  async #edit({ item }: Question): Promise<void> {
    const { io, settings, onRefused } = this.#options;
    if (this.#state === undefined) return;
    const entry = this.#entryOf(item, this.#state);
    this.#isAway = true;
    this.#stopReading?.();
    this.#stopReading = undefined;
    try {
      const edited = await editShown(entry, { io, settings });
      if (edited !== undefined) this.#send(approval(item, edited));
    } catch (error) {
      onRefused(error);
    } finally {
      this.#isAway = false;
      this.sync(this.#state);
    }
  }

  #skip(question: Question | undefined): void {
    if (question === undefined) return;
    this.#skipped.add(question.item.id);
    const run = this.#state?.run.id ?? "";
    this.#tell([`put off: ${answerCommands(question.item, run)[0] ?? ""}`]);
    this.#question = this.#next();
  }

  /** Another item by its number, or the one after this one. */
  #choose(number: number | "next"): void {
    const waiting = this.#waiting();
    const at = this.#question === undefined ? -1 : placeOf(this.#question.item, waiting);
    const item = waiting[number === "next" ? (at + 1) % waiting.length : number - 1];
    if (item === undefined) {
      this.#tell([`there is no number ${number}`]);
      return;
    }
    this.#skipped.delete(item.id);
    this.#question = { item, stage: { kind: "asked" } };
  }

  #view({ item }: Question): void {
    if (this.#state === undefined) return;
    const { settings } = this.#options;
    const entry = this.#entryOf(item, this.#state);
    this.#tell(itemLines(entry, { nowMs: this.#state.lastAt, settings }));
  }

  #listLines(): readonly string[] {
    return this.#waiting().map((item, index) => {
      const since = toIsoTime(item.createdAt).slice(11, 19);
      return `${index + 1}  ${since}  ${describeItem(toWaitingItem(item), wholeLine(textOfItem(item)))}`;
    });
  }

  #tell(lines: readonly string[]): void {
    this.interrupt();
    for (const line of lines) this.#options.io.stdout.write(`${line}\n`);
  }

  #endInput(): void {
    this.#isInputOver = true;
    if (this.#question === undefined) return;
    this.interrupt();
    this.#options.io.stdout.write(`no more input: decide from elsewhere, see ${TROUPE} inbox\n`);
  }
}

function approval(item: InboxItem, edited: Json): RunCommand {
  const seen = item.kind === "approval" ? { hash: item.hash } : {};
  return { kind: "resolve-approval", approval: item.id, decision: "approved", edited, ...seen };
}

function placeOf({ id }: InboxItem, items: readonly InboxItem[]): number {
  return items.findIndex((item) => item.id === id);
}
