import { renderEntry } from "../../../src/messaging/mirrors/channel-mirror.ts";

/** A message as one writes it. */
export interface Said {
  readonly from: string;
  readonly text: string;
}

/** When it was said. */
export const TIME = "2026-01-01T10:00:00.000Z";

/** A channel file with these messages. */
export function render(messages: readonly Said[]): string {
  return messages
    .map((message, index) => renderEntry({ ...message, timestamp: TIME }, index === 0))
    .join("");
}

/** What is read from that file. */
export function parsed(messages: readonly Said[]): readonly object[] {
  return messages.map(({ from, text }) => ({ time: "10:00:00", from, text }));
}
