import { z } from "zod";
import type { TurnOptions, TurnResult } from "../contracts/ports/context.ts";
import type { Json } from "../foundation/json.ts";

const stepAddress = z.object({
  id: z.string(),
  path: z.string(),
  execution: z.number(),
  attempt: z.number(),
});

const turnInput = z.object({
  agent: z.string(),
  prompt: z.string(),
  task: z.string().exactOptional(),
  expects: z.string().exactOptional(),
  timeoutMs: z.number().exactOptional(),
  step: stepAddress.exactOptional(),
  previousError: z.string().exactOptional(),
  session: z.string().exactOptional(),
  takesMessages: z.literal(true).exactOptional(),
  rights: z
    .object({
      writesTo: z.array(z.string()).exactOptional(),
      signals: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  announce: z.enum(["none", "signal", "text"]).exactOptional(),
  announceTo: z.string().exactOptional(),
});

/** The input of a `turn` operation. */
export type TurnInput = { readonly agent: string; readonly prompt: string } & TurnOptions;

/** The input of a `turn` operation, from the journal or fresh from the program. */
export function parseTurnInput(input: Json): TurnInput {
  return turnInput.parse(input);
}

/** A prompt of the program in the mailbox of its agent, with the operation that waits for its turn. */
export interface PromptItem {
  readonly op: string;
  readonly key: string;
  readonly input: TurnInput;
  /** Aborts with a StopRequest. */
  readonly signal: AbortSignal;
  readonly resolve: (result: TurnResult) => void;
  readonly reject: (error: unknown) => void;
}
