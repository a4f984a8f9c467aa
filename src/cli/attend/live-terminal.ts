import type { Io, TakenTerminal } from "../terminal/io.ts";
import { createForeignLines } from "./foreign-lines.ts";
import { Screen } from "./screen.ts";

const ESC = "\u001b";
const BEL = "\u0007";
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
const MARK_PASTES = `${ESC}[?2004h`;
const MARK_NO_PASTES = `${ESC}[?2004l`;
// Terminals that know them put the title of before back; others are left with none.
const SAVE_TITLE = `${ESC}[22;2t`;
const RESTORE_TITLE = `${ESC}]2;${BEL}${ESC}[23;2t`;

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** What the terminal tells its owner. */
export interface LiveTerminalOptions {
  readonly io: Io;
  /** Whether keys are read. */
  readonly hasKeys: boolean;
  onKeys(text: string): void;
  /** Something changed that the picture shows: the size, or a line above it. */
  onChange(): void;
}

/** A terminal with a picture at its bottom, from `enter` to `leave`; may be entered again. */
export class LiveTerminal {
  readonly #screen: Screen;
  readonly #options: LiveTerminalOptions;
  readonly #foreign = createForeignLines((line) => this.#screen.print(line));
  #taken: TakenTerminal | undefined;
  #stopReading: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;
  #title = "";

  constructor(options: LiveTerminalOptions) {
    this.#options = options;
    this.#screen = new Screen({
      write: (text) => this.#taken?.write(text),
      columns: () => this.columns,
      reflows: doesReflow(options.io),
    });
  }

  get columns(): number {
    return this.#options.io.stdout.columns || DEFAULT_COLUMNS;
  }

  get rows(): number {
    return this.#options.io.stdout.rows || DEFAULT_ROWS;
  }

  /** Takes the terminal. */
  enter(): void {
    const { io, onChange } = this.#options;
    this.#taken = io.takeTerminal({
      onForeign: (text) => {
        this.#foreign.take(text);
        onChange();
      },
      farewell: () => this.#farewell(),
    });
    this.#stopWatching = io.stdout.onResize(() => {
      this.#screen.distrust();
      onChange();
    });
    this.#setUp();
  }

  /** Takes the picture off and gives the terminal back as it was. Idempotent. */
  leave(): void {
    this.#stopReading?.();
    this.#stopWatching?.();
    this.#taken?.release();
    this.#taken = undefined;
    this.#stopReading = undefined;
    this.#stopWatching = undefined;
  }

  /** Sets the terminal up again after others have used it while this process was stopped. */
  comeBack(): void {
    this.#stopReading?.();
    this.#screen.forget();
    if (this.#taken === undefined) this.enter();
    else this.#setUp();
  }

  /** Puts a line above the picture, with the next one. */
  print(line: string): void {
    this.#screen.print(line);
  }

  /** Shows a picture, unless somebody else has the terminal. */
  paint(lines: readonly string[]): void {
    if (this.#taken !== undefined) this.#screen.paint(lines);
  }

  /** Names the window; `title` is safe for a terminal. */
  setTitle(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#taken?.write(`${ESC}]2;${title}${BEL}`);
  }

  ring(): void {
    this.#taken?.write(BEL);
  }

  #setUp(): void {
    const { io, hasKeys, onKeys } = this.#options;
    this.#taken?.write(`${SAVE_TITLE}${HIDE_CURSOR}${hasKeys ? MARK_PASTES : ""}`);
    this.#title = "";
    // Without a person at the keys the run goes on; a terminal that is gone says so by a signal.
    if (hasKeys) this.#stopReading = io.stdin.readKeys(onKeys, () => {});
  }

  #farewell(): string {
    this.#foreign.flush();
    const { hasKeys } = this.#options;
    const end = `${hasKeys ? MARK_NO_PASTES : ""}${SHOW_CURSOR}${RESTORE_TITLE}`;
    return `${this.#screen.clearing()}${end}`;
  }
}

/** xterm and GNU screen leave long lines cut when they get narrower; tmux inside of xterm does not. */
function doesReflow({ env }: Io): boolean {
  const isSet = (name: string) => env[name] !== undefined && env[name] !== "";
  return isSet("TMUX") || !(isSet("XTERM_VERSION") || isSet("STY"));
}
