import { Transform } from "node:stream";
import { createRequestIdReader, type RequestIdReader } from "./request-id.ts";

/** A line that was left out. */
export interface LongLine {
  readonly sizeBytes: number;
  /** The id of the request in it, if it is one. */
  readonly id: string | number | undefined;
}

/** Lets lines through one by one, each whole; of one over the limit nothing is kept but its id. */
export function createBoundedLines(
  maxBytes: number,
  onTooLong: (line: LongLine) => void,
): Transform {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  let reader: RequestIdReader | undefined;
  const take = (part: Buffer) => {
    sizeBytes += part.length;
    parts.push(part);
    if (reader === undefined && sizeBytes <= maxBytes) return;
    reader ??= createRequestIdReader();
    for (const kept of parts) reader.push(kept);
    parts = [];
  };
  const endLine = (lines: Transform) => {
    if (reader === undefined) lines.push(Buffer.concat(parts));
    else onTooLong({ sizeBytes, id: reader.id() });
    parts = [];
    sizeBytes = 0;
    reader = undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
        take(chunk.subarray(start, end + 1));
        endLine(this);
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
      done();
    },
  });
}
