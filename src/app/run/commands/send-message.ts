import { z } from "zod";
import type { Machine } from "../../machine/machine.ts";
import { runNotRunning } from "../../runs/errors.ts";
import type { Target } from "../../runs/resolve-target.ts";
import { readListing } from "../../runs/run-heads.ts";
import { commandRun } from "./command-run.ts";

/** A person's message to an agent, or to a channel of a run. */
export interface PersonalMessage {
  readonly text: string;
  /** Defaults to the main channel; for messages that are not to one agent. */
  readonly channel?: string | undefined;
  readonly isInterrupt: boolean;
  /** Recognises the same message when it is sent again. */
  readonly key: string;
}

/** What became of it. `recorded`: nobody runs the run; its agents get the message when it goes on. */
export type SentMessage =
  | {
      readonly status: "posted";
      readonly run: string;
      readonly id: string;
      readonly seq: number;
      readonly recipients: readonly string[];
      readonly unknownMentions: readonly string[];
    }
  | { readonly status: "recorded"; readonly run: string };

const receiptSchema = z.object({
  id: z.string(),
  seq: z.number(),
  recipients: z.array(z.string()),
  unknownMentions: z.array(z.string()),
});

/** Sends a message as the person in front of a run. Raises what commandRun raises. */
export async function sendAsPerson(
  machine: Machine,
  { run, agent }: Target,
  { text, channel, isInterrupt, key }: PersonalMessage,
): Promise<SentMessage> {
  const receipt = await commandRun(machine, run, {
    command: {
      kind: "send",
      text,
      key,
      ...(agent === undefined ? {} : { to: [agent] }),
      ...(channel === undefined ? {} : { channel }),
      ...(isInterrupt ? { interrupt: true } : {}),
    },
  });
  if (receipt.status !== "done") return { status: "recorded", run };
  return { status: "posted", run, ...receiptSchema.parse(receipt.result) };
}

/** Raises RUN_NOT_RUNNING unless a process carries the run out: nobody else can answer or be watched. */
export function assertOwned(machine: Machine, run: string): void {
  const listing = readListing(machine.store, run, machine.isGone);
  if (listing?.owner !== undefined) return;
  throw runNotRunning({ run, state: listing?.state ?? "suspended" });
}
