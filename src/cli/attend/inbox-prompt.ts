import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { RunState } from "../../fold/run-state.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { toWaitingItem } from "../../fold/waiting.ts";
import type { Io } from "../io.ts";
import type { Settings } from "../settings.ts";
import { describeItem } from "../view/answer-commands.ts";
import { wholeLine } from "../view/excerpt.ts";
import { textOfItem } from "../view/inbox-text.ts";

// Owns the lines that a person types while a run goes on. One question at a time, the oldest first; a
// decision that comes from elsewhere takes its question off the screen.

/** What the prompt works with. */
export interface InboxPromptOptions {
  readonly io: Io;
  readonly settings: Settings;
  /** Carries out a decision. */
  readonly command: (command: RunCommand) => Promise<unknown>;
  /** Tells what became of a decision that was refused. */
  readonly onRefused: (error: unknown) => void;
}

interface Question {
  readonly item: InboxItem;
  /** `sent`: decided, and on its way into the journal. */
  stage: "asked" | "reason" | "sent";
}

/** Asks the person at the terminal for what a run waits for. */
export class InboxPrompt {
  readonly #options: InboxPromptOptions;
  #question: Question | undefined;
  #stopReading: (() => void) | undefined;
  #isInputOver = false;
  /** Whether the cursor stands behind a question. */
  #isPainted = false;

  constructor(options: InboxPromptOptions) {
    this.#options = options;
  }

  /** Looks at what waits now; called after each event, when its lines are on the screen. */
  sync({ inbox }: RunState): void {
    if (this.#isInputOver) return;
    const question = this.#question;
    if (question !== undefined && inbox.has(question.item.id)) {
      this.#repaint();
      return;
    }
    this.interrupt();
    this.#question = undefined;
    const [item] = inbox.values();
    if (item === undefined) return;
    this.#question = { item, stage: "asked" };
    this.#stopReading ??= this.#options.io.stdin.readLines(
      (line) => this.#take(line.trim()),
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

  #repaint(): void {
    if (this.#isPainted || this.#question === undefined || this.#question.stage === "sent") return;
    this.#isPainted = true;
    this.#options.io.stdout.write(this.#promptText(this.#question));
  }

  #promptText({ item, stage }: Question): string {
    if (stage === "reason") return "why? (may be empty) ";
    const { attention } = this.#options.settings.glyphs;
    const asked = describeItem(toWaitingItem(item), wholeLine(textOfItem(item)));
    const choice = item.kind === "question" ? ">" : "[a]pprove  [r]eject >";
    return `${attention} ${asked}  ${choice} `;
  }

  #take(line: string): void {
    // The terminal has gone to the next line.
    this.#isPainted = false;
    const question = this.#question;
    if (question === undefined || question.stage === "sent") return;
    const command = understand(question, line);
    if (command !== undefined) this.#send(command);
    else this.#repaint();
  }

  #send(command: RunCommand): void {
    const question = this.#question;
    if (question === undefined) return;
    question.stage = "sent";
    this.#options.command(command).catch((error: unknown) => {
      this.#options.onRefused(error);
      // Asked again at the next event, unless it was decided elsewhere.
      if (this.#question === question) this.#question = undefined;
    });
  }

  #endInput(): void {
    this.#isInputOver = true;
    if (this.#question === undefined) return;
    this.interrupt();
    this.#options.io.stdout.write("no more input: decide from elsewhere, see troupe inbox\n");
  }
}

/** The decision that a line makes; without one there is more to ask. */
function understand(question: Question, line: string): RunCommand | undefined {
  const { item, stage } = question;
  if (item.kind === "question")
    return line === "" ? undefined : { kind: "answer-question", id: item.id, answer: line };
  if (stage === "reason") return decide(item, "no", line);
  if (/^(a|approve|y|yes)$/i.test(line)) return decide(item, "yes", "");
  if (/^(r|reject|n|no)$/i.test(line)) question.stage = "reason";
  return undefined;
}

function decide(
  item: Extract<InboxItem, { kind: "approval" | "permission" }>,
  answer: "yes" | "no",
  comment: string,
): RunCommand {
  const why = comment === "" ? {} : { comment };
  if (item.kind === "permission")
    return {
      kind: "resolve-permission",
      id: item.id,
      decision: answer === "yes" ? "allowed" : "denied",
      ...why,
    };
  const decision = answer === "yes" ? "approved" : "rejected";
  return { kind: "resolve-approval", approval: item.id, decision, ...why };
}
