import { createHash } from "node:crypto";
import { EVENT_FORMAT_VERSION } from "../../contracts/events/event.ts";
import { GENESIS_HASH } from "../hash-chain.ts";
import {
  EXPORT_VERSION,
  type ExportHeader,
  type ExportTrailer,
  LONE_EXPORT_VERSION,
} from "./export-format.ts";
import type { JournalRows } from "./journal-rows.ts";

/** What an export says of itself beside the rows. */
export type ExportOrigin = Pick<ExportHeader, "run" | "troupe" | "exportedAt" | "below">;

/** The lines of an export, each with its end; returns what the trailer says. Raises what the rows raise. */
export function* exportLines(
  rows: JournalRows,
  origin: ExportOrigin,
): Generator<string, ExportTrailer, undefined> {
  const digest = createHash("sha256");
  const toLine = (value: unknown) => {
    const line = `${JSON.stringify(value)}\n`;
    digest.update(line);
    return line;
  };
  const header: ExportHeader = {
    format: "troupe-run",
    v: origin.below === undefined ? LONE_EXPORT_VERSION : EXPORT_VERSION,
    ...origin,
    eventFormat: EVENT_FORMAT_VERSION,
    epoch: rows.epoch,
    ...(rows.salvage === undefined ? {} : { salvage: rows.salvage }),
  };
  yield toLine(header);
  let texts = 0;
  for (const text of rows.texts()) {
    texts += 1;
    yield toLine({ text });
  }
  let seal = { seq: 0, hash: GENESIS_HASH };
  for (const event of rows.events()) {
    seal = { seq: event.seq, hash: event.hash };
    yield toLine({ event });
  }
  const end: ExportTrailer = { events: seal.seq, texts, seal, sha256: digest.digest("hex") };
  yield `${JSON.stringify({ end })}\n`;
  return end;
}
