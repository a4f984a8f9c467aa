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

export const messageNotPermitted = defineError("MESSAGE_NOT_PERMITTED", {
  message: (details: { from: string; to: string; instead: readonly string[] }) =>
    `"${details.from}" may not write to ${details.to} in this pattern`,
  hint: ({ instead }) =>
    instead.length === 0
      ? "say it in the answer that ends the turn"
      : `write to ${instead.join(" or ")} instead`,
  about:
    "A pattern says who may write to whom: a worker to its hub and a debater to the channel only, for example. Nothing was sent. People and Troupe itself may write to everybody.",
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
    `"${details.channel}" cannot be the name of a channel`,
  hint: ({ known }) =>
    `begin with a letter; then letters, digits, _ and -, at most 64 characters; the main channel is ${known.map((name) => `#${name}`).join(" or ")}`,
  about: "A channel is made by the first message in it. Its name follows the rules of ids.",
});

export const messageChannelRefused = defineError("MESSAGE_CHANNEL_REFUSED", {
  message: (details: { agent: string; channel: string; own: readonly string[] }) =>
    `"${details.agent}" is not told of channel "${details.channel}"`,
  hint: ({ own }) => `read ${own.map((name) => `#${name}`).join(" or ")} instead`,
  about:
    "An agent whose workflow gives it `channels` reads these and no other. What names it, and what is written to it directly, reaches it from everywhere.",
});

export const messageUnknownPosition = defineError("MESSAGE_UNKNOWN_POSITION", {
  message: (details: { since: string | number; channel: string }) =>
    `"${details.since}" is no place in channel "${details.channel}"`,
  hint: () => "give the id or seq of a message, `next` of an earlier answer, or an ISO time",
  about:
    "Reading a channel goes on after a message that is named by its id or seq, or after an ISO time.",
});

export const messageUnknown = defineError("MESSAGE_UNKNOWN", {
  message: (details: { message: string }) => `this run has no message "${details.message}"`,
  hint: () => "give the id or seq of a message as channel_read or channel_mentions show it",
  about: "Messages are named by their id or by their seq, their position in the run's journal.",
});

export const messageRateExceeded = defineError("MESSAGE_RATE_EXCEEDED", {
  message: (details: { from: string; maxPerMinute: number; againAt: string; afterMs: number }) =>
    `"${details.from}" has sent ${details.maxPerMinute} messages within a minute, changes of documents and signals among them, which is the most that one agent may`,
  hint: (details) =>
    `send again after ${details.againAt}; put what belongs together into one message`,
  about:
    "An agent that floods its channel drowns the others, so each may send a certain number of messages, changes of documents and signals a minute. Nothing was written; the details say after how many milliseconds the next one is taken. People and Troupe itself have no such limit.",
  retryable: true,
});

export const unknownResource = defineError("MESSAGE_UNKNOWN_RESOURCE", {
  message: (details: { ref: string }) => `nothing in this run refers to a text "${details.ref}"`,
  hint: () => "give the ref exactly as it stands with the message or the result",
  about:
    "A long message shows its beginning and a ref under which the rest is read; so does what a tool of a model returned. Only texts that a message or a result of the same run refers to can be read.",
});

export const resourceLost = defineError("MESSAGE_RESOURCE_LOST", {
  message: (details: { ref: string }) => `the text "${details.ref}" is missing from the journal`,
  hint: () => "ask its sender to send it again; the beginning stands in the message",
  about:
    "A message of this run refers to a long text that its journal does not hold: the run was copied or imported without it, for example out of a damaged journal.",
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

export const documentsTooMany = defineError("MESSAGE_DOCUMENTS_TOO_MANY", {
  message: (details: { document: string; limit: number }) =>
    `document "${details.document}" would be number ${details.limit + 1} of at most ${details.limit}`,
  hint: () => "append to one of the documents that exist",
  about: "Documents are mirrored to files, so a run has only so many. Nothing was written.",
});

export const documentOwned = defineError("MESSAGE_DOCUMENT_OWNED", {
  message: (details: { document: string; owner: string; by: string }) =>
    `document "${details.document}" belongs to "${details.owner}"; "${details.by}" may not replace its text`,
  hint: (details) =>
    `add to it with document_append, or ask ${details.owner} for the change with document_suggest`,
  about:
    "A document that an agent has claimed is replaced by that agent and by people only. Others append, or suggest a change, which reaches the owner as a message. It belongs to all again once its owner has left the run.",
});

export const documentUnclaimable = defineError("MESSAGE_DOCUMENT_UNCLAIMABLE", {
  message: (details: { document: string; by: string; reason: string }) =>
    `"${details.by}" cannot become the owner of document "${details.document}": ${details.reason}`,
  hint: () => "write without owner, or choose the name of a document that nobody has written yet",
  about:
    "Whoever writes a document first may become its owner, except that of the main document, which belongs to all. Nothing was written.",
});

export const documentNotOwned = defineError("MESSAGE_DOCUMENT_NOT_OWNED", {
  message: (details: { document: string; by: string; owner: string | undefined }) =>
    details.owner === undefined
      ? `document "${details.document}" has no owner who could take a suggestion`
      : `document "${details.document}" belongs to "${details.by}" itself`,
  hint: () => "change it with document_write or document_append",
  about:
    "A suggestion is a message to the agent that owns a document. Without another owner there is nobody to ask: the text can be changed at once.",
});

export const documentSuggestionEmpty = defineError("MESSAGE_DOCUMENT_SUGGESTION_EMPTY", {
  message: (details: { document: string }) =>
    `the suggestion for document "${details.document}" has no text`,
  hint: () => "say what the document should say",
  about: "A suggestion without text would wake the owner of the document for nothing.",
});

export const documentNameInvalid = defineError("MESSAGE_DOCUMENT_NAME_INVALID", {
  message: (details: { document: string }) =>
    `"${details.document}" cannot be the name of a document`,
  hint: () => "begin with a letter; then letters, digits, _ and -, at most 64 characters",
  about:
    "Documents are mirrored to files of the same name, so their names follow the rules of ids.",
});

export const messageKeyReused = defineError("MESSAGE_KEY_REUSED", {
  message: (details: { key: string; id: string }) =>
    `the key "${details.key}" belongs to message ${details.id}, which says something else or goes to somebody else`,
  hint: () => "send another message under a key of its own, or leave --key out",
  about:
    "A message that is sent again under its key is posted once, so that a client may repeat what it is not sure of. The same key with another text or addressee would be lost without a word: it is refused instead, and nothing was posted.",
});
