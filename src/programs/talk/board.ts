import { MAIN_DOCUMENT } from "../../contracts/document.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";

/** The document that all share, as it is after what was taken in. */
export class Board {
  #text = "";
  #revision = 0;

  get text(): string {
    return this.#text;
  }

  /** 0 while nobody has written it. */
  get revision(): number {
    return this.#revision;
  }

  /** Takes in what has happened. */
  take(event: JournalEvent): void {
    if (!isOnBoard(event)) return;
    const { change, revision } = event;
    this.#text = change.kind === "append" ? this.#text + change.text : change.text;
    this.#revision = revision;
  }
}

/** Whether it is a revision of the document that all share. */
export function isOnBoard(
  event: JournalEvent,
): event is Extract<JournalEvent, { type: "document-changed" }> {
  return event.type === "document-changed" && event.document === MAIN_DOCUMENT;
}
