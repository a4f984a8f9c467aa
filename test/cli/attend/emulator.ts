import xterm from "@xterm/headless";
import stringWidth from "string-width";
import { onTestFinished } from "vitest";

/** A terminal that shows what is written to it. */
export interface Emulator {
  readonly columns: () => number;
  readonly write: (text: string) => void;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** Everything in it, scrollback first: lines as they were written, however the terminal broke them. */
  readonly lines: () => Promise<readonly string[]>;
  /** The lines that are to be seen now. */
  readonly screen: () => Promise<readonly string[]>;
}

// The emulator's own tables are from before emoji were wide; terminals in use are not.
const UNICODE_OF_TODAY: xterm.IUnicodeVersionProvider = {
  version: "today",
  wcwidth: widthOfCodePoint,
  charProperties: (codePoint, preceding) => {
    const width = widthOfCodePoint(codePoint);
    const widthBefore = (preceding >> 1) & 3;
    const joins = width === 0 && preceding !== 0 && widthBefore > 0;
    return ((joins ? widthBefore : width) << 1) | (joins ? 1 : 0);
  },
};

const widths = new Map<number, 0 | 1 | 2>();

function widthOfCodePoint(codePoint: number): 0 | 1 | 2 {
  const known = widths.get(codePoint);
  if (known !== undefined) return known;
  const measured = stringWidth(String.fromCodePoint(codePoint));
  const width = measured === 2 || measured === 0 ? measured : 1;
  widths.set(codePoint, width);
  return width;
}

/** A terminal that breaks lines anew when its width changes, as VS Code does it. */
export function createEmulator(columns: number, rows: number): Emulator {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 5000,
    // As the line discipline of a terminal does it, in raw mode too.
    convertEol: true,
    allowProposedApi: true,
  });
  onTestFinished(() => terminal.dispose());
  terminal.unicode.register(UNICODE_OF_TODAY);
  terminal.unicode.activeVersion = UNICODE_OF_TODAY.version;
  const settled = () => new Promise<void>((resolve) => terminal.write("", resolve));
  const { active } = terminal.buffer;
  const textAt = (index: number) => active.getLine(index)?.translateToString(true) ?? "";
  return {
    columns: () => terminal.cols,
    write: (text) => terminal.write(text),
    resize: async (width, height) => {
      await settled();
      terminal.resize(width, height);
    },
    lines: async () => {
      await settled();
      const lines: string[] = [];
      for (let index = 0; index < active.length; index += 1) {
        const isWrapped = active.getLine(index)?.isWrapped === true;
        const begun = isWrapped ? (lines.pop() ?? "") : "";
        lines.push(begun + textAt(index));
      }
      while (lines.at(-1) === "") lines.pop();
      return lines;
    },
    screen: async () => {
      await settled();
      const rowsShown = Array.from({ length: terminal.rows }, (_, row) =>
        textAt(active.baseY + row),
      );
      return rowsShown;
    },
  };
}
