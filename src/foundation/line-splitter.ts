import { StringDecoder } from "node:string_decoder";

/** Turns chunks of bytes into lines. Invalid UTF-8 becomes U+FFFD; `\r\n` and `\n` end a line. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Hands out what is left, if anything. */
  end(): void;
}

/**
 * Calls `onLine` for every line without its end. A line longer than `maxChars` is handed out in parts
 * of that length with `isPartial` true, so that memory stays bounded whatever comes in.
 */
export function createLineSplitter(
  maxChars: number,
  onLine: (line: string, isPartial: boolean) => void,
): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const take = (text: string) => {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      emit(text.slice(start, end));
      start = end + 1;
    }
    rest += text.slice(start);
    while (rest.length > maxChars) {
      onLine(rest.slice(0, maxChars), true);
      rest = rest.slice(maxChars);
    }
  };
  const emit = (tail: string) => {
    let line = rest + tail;
    rest = "";
    if (line.endsWith("\r")) line = line.slice(0, -1);
    while (line.length > maxChars) {
      onLine(line.slice(0, maxChars), true);
      line = line.slice(maxChars);
    }
    onLine(line, false);
  };
  return {
    push: (chunk) => take(decoder.write(chunk instanceof Buffer ? chunk : Buffer.from(chunk))),
    end: () => {
      take(decoder.end());
      if (rest !== "") emit("");
    },
  };
}
