import type { Machine } from "../../app/machine/machine.ts";
import { mentionUnknown } from "../../app/run/commands/errors.ts";
import type { SentMessage } from "../../app/run/commands/send-message.ts";
import type { Target } from "../../app/runs/resolve-target.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import type { Json } from "../../foundation/json.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { reportWarning } from "../command/report-error.ts";

/** What `send --json` prints of a message. */
export function toSentDocument(sent: SentMessage): { readonly [key: string]: Json } {
  const { run } = sent;
  if (sent.status === "recorded")
    return { v: 1, run, id: null, seq: null, delivered: [], queued: true };
  const { id, seq, recipients } = sent;
  return { v: 1, run, id, seq, delivered: [...recipients], queued: false };
}

/** What became of a message, in one line. */
export function sentLine({ agent }: Target, sent: SentMessage): string {
  const { run } = sent;
  if (sent.status === "recorded") return `recorded; nobody runs it: ${TROUPE} resume ${run}`;
  if (agent !== undefined) return `sent to @${agent} of ${run}`;
  const names = sent.recipients.map((name) => `@${name}`);
  if (names.length === 0) return `posted in ${run}; it mentions nobody, so it wakes nobody`;
  return `posted in ${run} to ${names.join(", ")}`;
}

/** Warns about names that nobody has. */
export function warnOfUnknown(
  machine: Machine,
  sent: SentMessage,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): void {
  if (sent.status === "recorded" || sent.unknownMentions.length === 0) return;
  const known = [...inspectRun(machine, sent.run).agents.keys()];
  reportWarning(mentionUnknown({ names: sent.unknownMentions, known }), io, settings);
}
