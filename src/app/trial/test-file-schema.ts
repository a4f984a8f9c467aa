import { z } from "zod";
import { turnListSchema } from "../../agents/backends/script/cassette-schema.ts";
import { OUTCOMES } from "../../contracts/run.ts";
import { isDuration } from "../../foundation/duration.ts";

const name = z.string().min(1);
const text = z.string();
const duration = text.refine(isDuration, {
  error: "not a duration: write 500ms, 30s, 10m, 2h, 1d",
});

/** A text as a test expects it. */
export const textMatchSchema = z
  .union([
    text,
    z
      .strictObject({
        equals: text.optional().describe("All of it."),
        contains: z
          .union([text, z.array(text).min(1)])
          .optional()
          .describe("A part of it, or each of several."),
        matches: text.optional().describe("An expression of RE2 that is found in it."),
        lacks: z
          .union([text, z.array(text).min(1)])
          .optional()
          .describe("What must not be in it."),
      })
      .refine((match) => Object.keys(match).length > 0, {
        error: "say what is expected: equals, contains, matches or lacks",
      }),
  ])
  .describe("A part of the text, or an object with `equals`, `contains`, `matches`, `lacks`.");

const bounds = z
  .strictObject({ atLeast: z.number().optional(), atMost: z.number().optional() })
  .refine((match) => Object.keys(match).length > 0, { error: "give atLeast, atMost or both" });

/** A number as a test expects it. */
export const numberMatchSchema = z
  .union([z.number(), bounds])
  .describe("A number, or an object with `atLeast`, `atMost`.");

const durationMatch = z
  .strictObject({ atLeast: duration.optional(), atMost: duration.optional() })
  .refine((match) => Object.keys(match).length > 0, { error: "give atLeast, atMost or both" });

const texts = z.union([textMatchSchema, z.array(textMatchSchema).min(1)]);

const stepStatus = z.enum([
  "completed",
  "failed",
  "skipped",
  "blocked",
  "cancelled",
  "running",
  "absent",
]);

const stepSchema = z.union([
  stepStatus,
  z.strictObject({
    status: stepStatus.optional().describe("How it ended; `absent`: nothing was ever said of it."),
    output: textMatchSchema.optional().describe("What it came to."),
    attempts: numberMatchSchema.optional().describe("Attempts of its last execution."),
    error: name.optional().describe("The code that it failed with."),
  }),
]);

const agentSchema = z.strictObject({
  turns: numberMatchSchema
    .optional()
    .describe("Turns that it was given; a turn that is started again counts once."),
  said: texts.optional().describe("What it said in some turn or message; of a list each."),
  neverSaid: texts.optional().describe("What it said in none."),
  told: texts.optional().describe("What some prompt or message told it; of a list each."),
  neverTold: texts.optional().describe("What none told it."),
  signals: z
    .array(name)
    .optional()
    .describe("Signals of it that counted, in order, such as `done`."),
  files: z
    .array(name)
    .optional()
    .describe("Files that it changed, in any order; others may be among them."),
});

const messageSchema = z.strictObject({
  from: name.optional().describe("Who posts it."),
  to: name.optional().describe("To whom, if it is direct."),
  channel: name.optional().describe("In which channel."),
  text: textMatchSchema.optional().describe("What it says."),
});

/** What a test expects of a run. */
export const expectationSchema = z.strictObject({
  outcome: z
    .enum([...OUTCOMES, "waiting"])
    .default("completed")
    .describe("How the run ends; `waiting`: only a person can move it on. Default: completed."),
  reason: textMatchSchema.optional().describe("Why it ended that way."),
  error: name.optional().describe("A code with which a step or a turn failed."),
  output: textMatchSchema.optional().describe("What the run came to."),
  steps: z.record(name, stepSchema).optional().describe("Steps by their paths: a status, or more."),
  order: z
    .array(name)
    .optional()
    .describe("Steps that started in this order; others may come between."),
  agents: z
    .record(name, agentSchema)
    .optional()
    .describe("What agents did and were told, by their ids."),
  messages: z
    .array(messageSchema)
    .optional()
    .describe("Messages in this order; others may come between."),
  asked: z.array(textMatchSchema).optional().describe("What people were asked for, in order."),
  files: z
    .record(name, z.union([textMatchSchema, z.null()]))
    .optional()
    .describe("Files after the run, by their paths; `null`: there is none."),
  turns: numberMatchSchema.optional().describe("Turns of all agents."),
  costUsd: numberMatchSchema.optional().describe("What it cost, in US dollars."),
  tokens: numberMatchSchema.optional().describe("Tokens of all turns."),
  duration: durationMatch.optional().describe("How long it took on the clock of the test."),
});

const personSchema = z
  .strictObject({
    asked: textMatchSchema.optional().describe("What is asked for. Absent: anything."),
    agent: name.optional().describe("Who asks. Absent: anybody."),
    step: name.optional().describe("For which step. Absent: any."),
    after: duration.optional().describe("How long the person takes. Default: at once."),
    answer: text.optional().describe("Answers a question."),
    approve: z.boolean().optional().describe("Decides an approval."),
    allow: z.boolean().optional().describe("Decides a permission."),
    comment: text.optional().describe("Told to whoever asked, with `approve` and `allow`."),
    always: z.literal(true).optional().describe("Decides all that fit, not only the first."),
  })
  .refine(
    (person) =>
      ["answer", "approve", "allow"].filter((key) => Object.hasOwn(person, key)).length === 1,
    { error: "a decision is one of answer, approve, allow" },
  );

const killSchema = z.strictObject({
  event: name.describe("Type of the event after which the process dies, such as `step-completed`."),
  step: name.optional().describe("Only an event of this step."),
  agent: name.optional().describe("Only an event of this agent."),
  nth: z.int().min(1).default(1).describe("The first, second, … that fits."),
});

const most = z.number().positive().optional();
const count = z.int().positive().optional();

const limitSchema = z.strictObject({
  costUsd: most.describe("US dollars."),
  tokens: count.describe("Tokens, in and out."),
  turns: count.describe("Turns of all agents."),
  messages: count.describe("Messages that agents post."),
  agents: count.describe("Agents that are spawned."),
});

const caseSchema = z.strictObject({
  name: name.describe("What it shows, as a sentence."),
  task: text.optional().describe("What the agents are to do."),
  input: z.json().optional().describe("The input of a step workflow."),
  params: z.record(name, z.json()).optional().describe("Params of the workflow."),
  files: z.record(name, text).optional().describe("Files that are there before it starts."),
  setup: z
    .array(name)
    .optional()
    .describe("Commands of the shell that prepare its directory, such as `git init`."),
  agents: z
    .record(name, turnListSchema)
    .optional()
    .describe(
      "Turns of agents, as in a cassette: by id, `id/step` or a pattern such as `worker-*`.",
    ),
  default: turnListSchema.optional().describe("Turns of all agents that have no entry."),
  repeat: z
    .enum(["last", "fail", "cycle"])
    .optional()
    .describe("What comes after the last turn of a list. Default: fail."),
  people: z.array(personSchema).optional().describe("What people decide; what fits none waits."),
  kill: z
    .array(killSchema)
    .optional()
    .describe("Where the process dies; the run is resumed each time."),
  timeout: duration.optional().describe("Longest running time, in place of that of the workflow."),
  budget: limitSchema.optional().describe("Limits, in place of those of the workflow."),
  within: duration.optional().describe("Longest time on the clock of the test. Default: 7d."),
  expect: expectationSchema
    .prefault({})
    .describe("What holds afterwards. Default: it is completed."),
});

/** A test file as it is written; every unknown key is an error. */
export const testFileSchema = z.strictObject({
  version: z.literal(1).describe("Version of this format."),
  workflow: z
    .union([name, z.record(z.string(), z.json())])
    .describe("Path of a workflow from this file, or the workflow itself."),
  agents: z
    .record(name, turnListSchema)
    .optional()
    .describe("Turns for all cases; those of a case win."),
  cases: z.array(caseSchema).min(1, { error: "a test has at least one case" }),
});

/** A test file, validated. */
export type TestFile = z.infer<typeof testFileSchema>;
/** One case of a test file. */
export type TestCase = z.infer<typeof caseSchema>;
/** What a test expects of a run. */
export type RunExpectation = z.infer<typeof expectationSchema>;
/** A text as a test expects it. */
export type TextMatch = z.infer<typeof textMatchSchema>;
/** A number as a test expects it. */
export type NumberMatch = z.infer<typeof numberMatchSchema>;
/** What a person decides. */
export type ScriptedDecision = z.infer<typeof personSchema>;
/** Where a process dies. */
export type KillPoint = z.infer<typeof killSchema>;
