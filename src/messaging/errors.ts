import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

/** The size that one message may have unless configured otherwise: 1 MiB of UTF-8. */
export const DEFAULT_MAX_MESSAGE_BYTES = 1_048_576;

export const messageTooLarge = defineError("MESSAGE_TOO_LARGE", {
  message: (details: { from: string; sizeBytes: number; maxBytes: number }) =>
    `the message of "${details.from}" has ${details.sizeBytes} bytes; at most ${details.maxBytes} are taken`,
  hint: () => "put the long part into a document or a file and send where it is",
  about:
    "A message reaches the prompt of every agent that gets it, so its size is bounded. Documents are the place for long texts.",
});

export const messageEmpty = defineError("MESSAGE_EMPTY", {
  message: (details: { from: string }) => `the message of "${details.from}" has no text`,
  hint: () => "send at least one character that is not blank",
  about: "A message without text would wake its readers for nothing.",
});

export const messageUnknownRecipient = defineError("MESSAGE_UNKNOWN_RECIPIENT", {
  message: (details: { recipient: string; known: readonly string[] }) =>
    `no agent of this run is called "${details.recipient}"`,
  hint: (details) => didYouMean(details.recipient, details.known, "agents"),
  about:
    "A direct message names its addressees by their ids. Nothing was sent: a message is delivered to all of its addressees or to none.",
});

export const messageUnknownChannel = defineError("MESSAGE_UNKNOWN_CHANNEL", {
  message: (details: { channel: string; known: readonly string[] }) =>
    `this run has no channel "${details.channel}"`,
  hint: (details) => didYouMean(details.channel, details.known, "channels"),
  about: "Agents share the channels that their workflow declares; every run has a main channel.",
});

export const messageUnknownPosition = defineError("MESSAGE_UNKNOWN_POSITION", {
  message: (details: { since: string | number; channel: string }) =>
    `"${details.since}" is no place in channel "${details.channel}"`,
  hint: () => "give the id or seq of a message, `next` of an earlier answer, or an ISO time",
  about:
    "Reading a channel goes on after a message that is named by its id or seq, or after an ISO time.",
});

export const documentConflict = defineError("MESSAGE_DOCUMENT_CONFLICT", {
  message: (details: DocumentConflict) =>
    `document "${details.document}" is at revision ${details.revision}, not at ${details.expected}`,
  hint: (details) =>
    `merge your change into the text of revision ${details.revision} and write again`,
  about:
    "Somebody changed the document after it was read. The details hold its current revision and text; nothing was written.",
});

/** What a writer needs to merge its change. */
export interface DocumentConflict {
  readonly document: string;
  /** The revision that the writer expected. */
  readonly expected: number;
  /** The current one. */
  readonly revision: number;
  /** The text of the current one. */
  readonly text: string;
}

export const documentTooLarge = defineError("MESSAGE_DOCUMENT_TOO_LARGE", {
  message: (details: { document: string; sizeBytes: number; maxBytes: number }) =>
    `document "${details.document}" would have ${details.sizeBytes} bytes; at most ${details.maxBytes} are kept`,
  hint: () => "shorten the document or put the rest into another one",
  about: "Every revision of a document is kept in the journal, so its size is bounded.",
});

export const documentNameInvalid = defineError("MESSAGE_DOCUMENT_NAME_INVALID", {
  message: (details: { document: string }) =>
    `"${details.document}" cannot be the name of a document`,
  hint: () => "begin with a letter; then letters, digits, _ and -, at most 64 characters",
  about:
    "Documents are mirrored to files of the same name, so their names follow the rules of ids.",
});
