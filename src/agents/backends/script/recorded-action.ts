import { z } from "zod";
import type { EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import type { Json } from "../../../foundation/json.ts";
import type { cassetteSchema } from "./cassette-schema.ts";

/** A cassette as it is written to a file. */
export type CassetteSource = z.input<typeof cassetteSchema>;

/** One turn as it is written to a file. */
export type TurnSource = Extract<
  NonNullable<NonNullable<CassetteSource["agents"]>[string]>,
  readonly unknown[]
>[number];

/** One entry of a turn's `do` as it is written to a file. */
export type ActionSource = NonNullable<TurnSource["do"]>[number];

/** The text that the file of a `file-changed` event then had; undefined when it is not known. */
export type FileContents = (seq: number) => string | undefined;

/** What an agent did, as an entry of `do`; undefined for events that follow from other entries. */
export function toAction(event: JournalEvent, contentOf: FileContents): ActionSource | undefined {
  switch (event.type) {
    case "message-posted":
      return { send: toSend(event) };
    case "document-changed":
      return { document: toEdit(event) };
    case "signal-received":
      return event.signal.by === "tool" ? { signal: toSignal(event) } : undefined;
    case "file-changed":
      return toFile(event, contentOf(event.seq));
    case "permission-requested":
      // What was done after a denial stands in the recording too.
      return {
        permission: { tool: event.tool, input: toInput(event.input), onDeny: "continue" },
      };
    case "question-asked":
      return { ask: event.text };
    default:
      return undefined;
  }
}

/** Arguments of a tool in the type that a cassette has. */
export function toInput(value: Json): z.core.util.JSONType {
  return z.json().parse(value);
}

function toSend({ to, channel, text }: EventOf<"message-posted">): ActionSource["send"] {
  if (to !== undefined)
    return { to: to.length === 1 && to[0] !== undefined ? to[0] : [...to], text };
  return channel === undefined ? { text } : { channel, text };
}

function toEdit({ document, change }: EventOf<"document-changed">): ActionSource["document"] {
  const { kind, text } = change;
  return kind === "append" ? { append: text, name: document } : { write: text, name: document };
}

function toSignal({ signal }: EventOf<"signal-received">): ActionSource["signal"] {
  const { by: _, ...stated } = signal;
  return stated;
}

function toFile(
  { path, kind }: EventOf<"file-changed">,
  content: string | undefined,
): ActionSource {
  if (content === undefined || kind === "delete") return { file: { path, kind } };
  return { write: { path, content } };
}
