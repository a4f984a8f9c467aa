/**
 * Owns the lines at the bottom of a terminal: a picture that is painted over and over, below lines that stay.
 *
 * S1 The cursor stands at the beginning of the last line of the picture, so that whatever the terminal does
 *    with the lines when it gets another width, the way to the first one can be computed.
 * S2 While the picture is written the terminal does not wrap: a character that is wider than expected is cut
 *    off and moves nothing.
 * S3 What is above the picture is never written to again.
 */
import { heightOf } from "../terminal/measure.ts";

const ESC = "\u001b";
const BEGIN = `${ESC}[?2026h`;
const END = `${ESC}[?2026l`;
const NO_WRAP = `${ESC}[?7l`;
const WRAP = `${ESC}[?7h`;
// From the second column: tmux takes a screen that is cleared from its first cell on into its history.
const CLEAR_BELOW = `${ESC}[2K${ESC}[C${ESC}[0J\r`;
const CLEAR_REST = `${ESC}[K`;

/** Where a screen writes. */
export interface ScreenOptions {
  write(text: string): void;
  /** Columns of the terminal now. */
  columns(): number;
  /** Whether the terminal wraps lines anew when it gets narrower, as most do. */
  readonly reflows: boolean;
}

/** The bottom of a terminal. */
export class Screen {
  readonly #options: ScreenOptions;
  #lines: readonly string[] = [];
  #columns: number;
  #queue: string[] = [];

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#columns = options.columns();
  }

  /** Whether lines wait for the next picture. */
  get hasQueue(): boolean {
    return this.#queue.length > 0;
  }

  /** Puts a line above the picture, with the next one. */
  print(line: string): void {
    this.#queue.push(line);
  }

  /** The next picture is painted as a whole. */
  distrust(): void {
    this.#columns = 0;
  }

  /** Leaves the picture where it is: the next one is painted where the cursor stands. */
  forget(): void {
    this.#lines = [];
    this.distrust();
  }

  /** Shows a picture and writes what was printed. Lines must be narrower than the terminal. */
  paint(lines: readonly string[]): void {
    const columns = this.#options.columns();
    const isSameShape = columns === this.#columns && lines.length === this.#lines.length;
    const text = isSameShape && !this.hasQueue ? this.#changes(lines) : this.#whole(lines);
    this.#lines = lines;
    this.#columns = columns;
    if (text !== "") this.#options.write(`${BEGIN}${text}${END}`);
  }

  /** What takes the picture off the terminal and writes what was printed; the cursor stands below. */
  clearing(): string {
    const text = `${this.#toTop()}${CLEAR_BELOW}${this.#takeQueue()}`;
    this.#lines = [];
    return text;
  }

  #whole(lines: readonly string[]): string {
    return `${this.#toTop()}${CLEAR_BELOW}${this.#takeQueue()}${NO_WRAP}${lines.join("\r\n")}${WRAP}\r`;
  }

  #changes(lines: readonly string[]): string {
    const last = lines.length - 1;
    let [text, place] = ["", last];
    for (const [index, line] of lines.entries()) {
      if (line === this.#lines[index]) continue;
      text += `${move(index - place)}${line}${CLEAR_REST}\r`;
      place = index;
    }
    return text === "" ? "" : `${NO_WRAP}${text}${move(last - place)}${WRAP}`;
  }

  #toTop(): string {
    const columns = this.#options.columns();
    const rowsOf = (line: string) => (this.#options.reflows ? heightOf(line, columns) : 1);
    const above = this.#lines.slice(0, -1).reduce((sum, line) => sum + rowsOf(line), 0);
    return `\r${move(-above)}`;
  }

  #takeQueue(): string {
    const queue = this.#queue;
    this.#queue = [];
    return queue.map((line) => `${line}\r\n`).join("");
  }
}

function move(rows: number): string {
  if (rows === 0) return "";
  return rows < 0 ? `${ESC}[${-rows}A` : `${ESC}[${rows}B`;
}
