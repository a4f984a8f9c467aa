import type { Key, KeyName } from "../view/live/key.ts";

/** Makes keys of what a terminal sends. */
export interface KeyParser {
  /** Takes what came at once. */
  feed(text: string): readonly Key[];
  /** Whether something came that is complete only if nothing follows: the escape key alone. */
  readonly isPending: boolean;
  /** Nothing followed. */
  flush(): readonly Key[];
}

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";

// A clipboard may hold anything; what is beyond this is dropped.
const MAX_PASTE_CHARS = 1_048_576;

const NAMED: ReadonlyMap<string, KeyName> = new Map([
  ["\r", "enter"],
  ["\n", "new-line"],
  ["\u001b\r", "new-line"],
  ["\u001b\n", "new-line"],
  ["\u001b[13;2u", "new-line"],
  ["\u001b[13;3u", "new-line"],
  ["\t", "tab"],
  ["\u0003", "interrupt"],
  ["\u001a", "suspend"],
  ["\u0004", "end-of-input"],
  ["\u0001", "home"],
  ["\u0005", "end"],
  ["\u0015", "delete-line"],
  ["\u0017", "delete-word"],
  ["\u001b\u007f", "delete-word"],
  ["\u007f", "backspace"],
  ["\b", "backspace"],
  ["\u001b", "escape"],
  ["\u001b[A", "up"],
  ["\u001b[B", "down"],
  ["\u001b[C", "right"],
  ["\u001b[D", "left"],
  ["\u001bOA", "up"],
  ["\u001bOB", "down"],
  ["\u001bOC", "right"],
  ["\u001bOD", "left"],
  ["\u001b[H", "home"],
  ["\u001b[F", "end"],
  ["\u001bOH", "home"],
  ["\u001bOF", "end"],
  ["\u001b[1~", "home"],
  ["\u001b[4~", "end"],
  ["\u001b[7~", "home"],
  ["\u001b[8~", "end"],
  ["\u001b[5~", "page-up"],
  ["\u001b[6~", "page-down"],
  ["\u001b[3~", "delete"],
]);

const ESC = "\\u001b";
// A control sequence, a key with alt, a control character, or a run of other characters.
const UNIT = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`,
    `${ESC}O[A-Za-z]`,
    `${ESC}[^${ESC}[O]`,
    "\\p{Cc}",
    "\\P{Cc}+",
  ].join("|"),
  "gu",
);
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|O)?$`, "u");

/** A parser at the beginning of a line of keys. */
export function createKeyParser(): KeyParser {
  // A paste that has begun, or what may become a key with what follows.
  let kept = "";
  const isPasting = () => kept.startsWith(PASTE_START);
  const read = (text: string, isComplete: boolean): readonly Key[] => {
    const keys: Key[] = [];
    let rest = kept + text;
    kept = "";
    while (rest !== "") {
      const end = rest.startsWith(PASTE_START) ? rest.indexOf(PASTE_END) : undefined;
      if (end === -1) {
        kept = boundPaste(rest);
        return keys;
      }
      if (end !== undefined) {
        keys.push({ kind: "paste", text: rest.slice(PASTE_START.length, end) });
        rest = rest.slice(end + PASTE_END.length);
        continue;
      }
      const part = untilPaste(rest);
      rest = rest.slice(part.length);
      if (rest === "" && !isComplete) kept = UNFINISHED.exec(part)?.[0] ?? "";
      keys.push(...toKeys(part.slice(0, part.length - kept.length)));
    }
    return keys;
  };
  return {
    feed: (text) => read(text, false),
    get isPending() {
      return kept !== "" && !isPasting();
    },
    flush: () => (isPasting() ? [] : read("", true)),
  };
}

function untilPaste(text: string): string {
  const start = text.indexOf(PASTE_START);
  return start < 0 ? text : text.slice(0, start);
}

/** The beginning of a paste, and what may be the beginning of the mark of its end. */
function boundPaste(text: string): string {
  if (text.length <= MAX_PASTE_CHARS) return text;
  return text.slice(0, MAX_PASTE_CHARS) + text.slice(1 - PASTE_END.length);
}

function toKeys(text: string): readonly Key[] {
  return [...text.matchAll(UNIT)].flatMap(([unit]): readonly Key[] => {
    const name = NAMED.get(unit);
    if (name !== undefined) return [{ kind: "named", name }];
    // What no key is known for does nothing.
    return /^\P{Cc}/u.test(unit) ? [{ kind: "text", text: unit }] : [];
  });
}
