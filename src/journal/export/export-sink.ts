import type { JournalEvent } from "../../contracts/events/event.ts";
import type { ExportHeader, ExportText, ExportTrailer } from "./export-format.ts";

/** Takes the rows of an export in the order in which they stand there, run by run. */
export interface ExportSink {
  begin(header: ExportHeader): void;
  text(text: ExportText): void;
  event(event: JournalEvent): void;
  /** The run is whole. */
  end(trailer: ExportTrailer): void;
}
