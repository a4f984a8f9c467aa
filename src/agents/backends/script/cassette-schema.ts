import { z } from "zod";
import { isDuration } from "../../../foundation/duration.ts";

const text = z.string();
const name = z.string().min(1);
const amount = z.number().nonnegative();

const send = z
  .strictObject({
    to: z
      .union([name, z.array(name).min(1)])
      .optional()
      .describe("Ids of agents, or `user`; absent: the main channel."),
    channel: name.optional().describe("Another channel."),
    text: text.describe("What is said."),
  })
  .refine(({ to, channel }) => to === undefined || channel === undefined, {
    error: "give `to` or `channel`, not both",
  });

const document = z
  .strictObject({
    append: text.optional().describe("Stands at the end from then on."),
    write: text.optional().describe("Takes the place of all that it says."),
    name: name.optional().describe("Another document than the main one."),
  })
  .refine(({ append, write }) => (append === undefined) !== (write === undefined), {
    error: "give either `append` or `write`",
  });

const signal = z.strictObject({
  kind: name.describe("Such as `done`, `blocked`, `vote`."),
  value: text.default("").describe("What it says, such as `approve` of a vote."),
  reason: text.optional().describe("Why, for those who read it."),
  confidence: z.number().min(0).max(1).optional().describe("How sure the agent is."),
});

const actionSchema = z
  .strictObject({
    send: send.optional().describe("Posts a message."),
    write: z
      .strictObject({
        path: name.describe("Where, from the directory of the agent."),
        content: text.describe("All of its content."),
      })
      .optional()
      .describe("Writes a file, which counts as changed by the agent."),
    run: name
      .optional()
      .describe(
        "Runs a command of the shell where the agent works; how it ended is told as the call of a tool.",
      ),
    signal: signal.optional().describe("Gives a signal by the tool, not as a line of text."),
    tool: z
      .strictObject({
        name: name.describe("As the program of the agent calls it."),
        input: z.json().default({}).describe("What it was called with."),
        result: text.default("").describe("What came back."),
        isError: z.boolean().default(false).describe("Whether it failed."),
        open: z.literal(true).optional().describe("The turn ends before the tool returns."),
      })
      .optional()
      .describe("Tells of a call of one of the agent's own tools, which does nothing here."),
    call: z
      .strictObject({
        tool: name.describe("Such as `channel_send` or `Task`."),
        arguments: z.json().default({}).describe("What it is called with."),
      })
      .optional()
      .describe("Really calls one of Troupe's tools."),
    document: document.optional().describe("Changes the shared document."),
    permission: z
      .strictObject({
        tool: name.describe("What is to be used, such as `Bash`."),
        input: z.json().default({}).describe("With what, such as its command."),
        onDeny: z
          .enum(["skip", "continue"])
          .default("skip")
          .describe(
            "Whether the rest of `do` is left out when it is denied, or done all the same.",
          ),
      })
      .optional()
      .describe("Asks for a permission, and waits for it."),
    ask: name.optional().describe("Asks a person, and waits for the answer."),
    file: z
      .strictObject({
        path: name.describe("Which file."),
        kind: z.enum(["create", "edit", "delete"]).describe("What was done to it."),
      })
      .optional()
      .describe("Tells of a changed file without changing it."),
    usage: z
      .strictObject({
        inputTokens: amount.optional().describe("Tokens that were read, cached ones included."),
        outputTokens: amount.optional().describe("Tokens that were written."),
        cachedTokens: amount.optional().describe("Those of the input that came from a cache."),
        costUsd: amount.optional().describe("What it cost, in US dollars."),
      })
      .optional()
      .describe("Tells what the turn used."),
    thinking: text.optional().describe("What it thinks, which nobody else reads."),
    chunk: text
      .optional()
      .describe("A part of the answer, as it comes; what it says in the end stands in `say`."),
  })
  .refine((action) => Object.keys(action).length === 1, {
    error: "an entry of `do` holds exactly one action",
  });

const ends = ["say", "fail", "crash", "hang"] as const;

const turnSchema = z
  .strictObject({
    expect: name.optional().describe("Must be in what the agent is told, or the turn fails."),
    after: text
      .refine(isDuration, { error: "not a duration: write 500ms, 30s, 10m" })
      .optional()
      .describe("How long the turn takes before it does anything."),
    do: z
      .array(actionSchema)
      .default([])
      .describe("What the agent does, in this order; each entry holds one of the keys."),
    say: text.optional().describe("The answer, with which the turn ends."),
    stop: z
      .enum(["max_turns", "max_tokens", "refusal"])
      .optional()
      .describe("Why the turn ended with `say`, where that is not because it was done."),
    fail: z
      .strictObject({
        code: name.describe("The code of the error, such as `OVERLOADED`."),
        retryable: z.boolean().default(false).describe("Whether another attempt may help."),
        message: text.default("the script says so").describe("What the error says."),
        sessionLost: z
          .literal(true)
          .optional()
          .describe("The session dies with the turn, as with `crash`."),
      })
      .optional()
      .describe("The turn ends with an error."),
    crash: z.literal(true).optional().describe("The session dies in the middle of the turn."),
    hang: z.literal(true).optional().describe("The turn never ends by itself."),
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
const repeat = z
  .enum(["last", "fail", "cycle"])
  .describe("What comes after the last turn: that one again, an error, or the first one again.");

/** The turns of one agent: a list, or `{ repeat, turns }`. Inline scripts have this form too. */
export const turnListSchema = z.union([
  turns,
  z.strictObject({ repeat: repeat.optional(), turns: turns.describe("One entry is one turn.") }),
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
    .default({})
    .describe(
      "Turns by the id of an agent (`coder`), its step (`coder/code`) or a pattern (`worker-*`): a list, or an object with `repeat` and `turns`.",
    ),
  default: turnListSchema.optional().describe("Turns of all agents that have no entry."),
  repeat: repeat.default("last"),
};

/** A cassette as it is written; every unknown key is an error. */
export const cassetteSchema = z.strictObject({
  version: z.literal(1).describe("Version of this format."),
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
