import { z } from "zod";
import { isDuration } from "../../../foundation/duration.ts";

const text = z.string();
const name = z.string().min(1);
const amount = z.number().nonnegative();

const send = z
  .strictObject({
    to: z.union([name, z.array(name).min(1)]).optional(),
    channel: name.optional(),
    text,
  })
  .refine(({ to, channel }) => to === undefined || channel === undefined, {
    error: "give `to` or `channel`, not both",
  });

const document = z
  .strictObject({ append: text.optional(), write: text.optional(), name: name.optional() })
  .refine(({ append, write }) => (append === undefined) !== (write === undefined), {
    error: "give either `append` or `write`",
  });

const signal = z.strictObject({
  kind: name,
  value: text.default(""),
  reason: text.optional(),
  confidence: z.number().min(0).max(1).optional(),
});

const actionSchema = z
  .strictObject({
    send: send.optional(),
    write: z.strictObject({ path: name, content: text }).optional(),
    run: name.optional(),
    signal: signal.optional(),
    tool: z
      .strictObject({
        name,
        input: z.json().default({}),
        result: text.default(""),
        isError: z.boolean().default(false),
        /** The turn ends before the tool returns. */
        open: z.literal(true).optional(),
      })
      .optional(),
    call: z.strictObject({ tool: name, arguments: z.json().default({}) }).optional(),
    document: document.optional(),
    permission: z
      .strictObject({
        tool: name,
        input: z.json().default({}),
        onDeny: z.enum(["skip", "continue"]).default("skip"),
      })
      .optional(),
    ask: name.optional(),
    file: z.strictObject({ path: name, kind: z.enum(["create", "edit", "delete"]) }).optional(),
    usage: z
      .strictObject({
        inputTokens: amount.optional(),
        outputTokens: amount.optional(),
        cachedTokens: amount.optional(),
        costUsd: amount.optional(),
      })
      .optional(),
    thinking: text.optional(),
    chunk: text.optional(),
  })
  .refine((action) => Object.keys(action).length === 1, {
    error: "an entry of `do` holds exactly one action",
  });

const ends = ["say", "fail", "crash", "hang"] as const;

const turnSchema = z
  .strictObject({
    /** Must be in the prompt. */
    expect: name.optional(),
    after: text.refine(isDuration, { error: "not a duration: write 500ms, 30s, 10m" }).optional(),
    do: z.array(actionSchema).default([]),
    say: text.optional(),
    stop: z.enum(["max_turns", "max_tokens", "refusal"]).optional(),
    fail: z
      .strictObject({
        code: name,
        retryable: z.boolean().default(false),
        message: text.default("the script says so"),
        /** The session dies with the turn, as with `crash`. */
        sessionLost: z.literal(true).optional(),
      })
      .optional(),
    crash: z.literal(true).optional(),
    hang: z.literal(true).optional(),
  })
  .refine((turn) => ends.filter((end) => turn[end] !== undefined).length <= 1, {
    error: "a turn ends in one way: say, fail, crash or hang",
  })
  .refine(
    (turn) => turn.stop === undefined || ends.slice(1).every((end) => turn[end] === undefined),
    {
      error: "`stop` goes with `say` only",
    },
  );

const turns = z.array(turnSchema).min(1, { error: "a list of turns holds at least one" });
const repeat = z.enum(["last", "fail", "cycle"]);

/** The turns of one agent: a list, or `{ repeat, turns }`. Inline scripts have this form too. */
export const turnListSchema = z.union([
  turns,
  z.strictObject({ repeat: repeat.optional(), turns }),
]);

/** The turns of one run. */
const section = {
  agents: z
    .record(
      z.string().refine((key) => !/[*?].*\/|\/.*[*?]/.test(key), {
        error: "a pattern with * or ? names agents only, not agent/step",
      }),
      turnListSchema,
    )
    .default({}),
  default: turnListSchema.optional(),
  repeat: repeat.default("last"),
};

/** A cassette as it is written; every unknown key is an error. */
export const cassetteSchema = z.strictObject({
  version: z.literal(1),
  ...section,
  runs: z
    .record(z.string(), z.strictObject(section))
    .optional()
    .describe(
      "Turns of the runs below, each by the operations that lead to it, as a recording names them. A run without an entry plays the turns of the one above it.",
    ),
});

/** A whole cassette, validated. */
export type Cassette = z.infer<typeof cassetteSchema>;
/** The turns of one agent as written. */
export type TurnListSource = z.infer<typeof turnListSchema>;
/** One scripted turn. */
export type ScriptedTurn = z.infer<typeof turnSchema>;
/** One thing that a scripted turn does. */
export type ScriptedAction = z.infer<typeof actionSchema>;
/** What follows the last turn of a list. */
export type Repeat = z.infer<typeof repeat>;
