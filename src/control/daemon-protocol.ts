import { z } from "zod";
import { budgetSchema } from "../agents/budget/budget-schema.ts";
import { APPROVAL_MODES } from "../contracts/run.ts";
import type { Json } from "../foundation/json.ts";
import { scheduleWish } from "./schedule-wish.ts";

/** Version of the lines that travel over the daemon's socket. */
export const DAEMON_PROTOCOL = 1 as const;
/** Longest line, in characters: a definition with the largest cassette. */
export const MAX_DAEMON_LINE_CHARS = 33_554_432;

/** What can be done about a schedule that there is. */
export const SCHEDULE_CHANGES = ["pause", "resume", "remove"] as const;

export type ScheduleChange = (typeof SCHEDULE_CHANGES)[number];

const place = {
  /** Directory of the client, absolute. */
  cwd: z.string(),
  /** Its environment; used while this daemon lives, never stored. */
  env: z.record(z.string(), z.string()),
  approvals: z.enum(APPROVAL_MODES).exactOptional(),
  /** Takes all of the project's configuration this once. */
  trustsProject: z.boolean().exactOptional(),
};

const params: z.ZodType<{ readonly [name: string]: Json }> = z.record(z.string(), z.json());

const json: z.ZodType<Json> = z.json();

/** The start of a run, without what only its program knows. */
const startOptions = z.strictObject({
  task: z.string().exactOptional(),
  params: params.exactOptional(),
  input: json.exactOptional(),
  file: z.string().exactOptional(),
  fileHash: z.string().exactOptional(),
  instance: z.string().exactOptional(),
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
  program: z.string().exactOptional(),
});

const limits = z.strictObject({
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
});

const ask = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("status") }),
  z.strictObject({ kind: z.literal("stop") }),
  /** Starts a run; the answer comes when the daemon carries it out. */
  z.strictObject({
    kind: z.literal("start"),
    ...place,
    /** Text of the run's recipe: its definition and cassette. */
    recipe: z.string(),
    options: startOptions,
  }),
  z.strictObject({
    kind: z.literal("resume"),
    ...place,
    run: z.string(),
    limits: limits.exactOptional(),
    /** Resumes the run under the configuration as it is now, however it differs. */
    acceptsConfiguration: z.boolean().exactOptional(),
  }),
  /** Answered when the daemon does not carry the run out any more. */
  z.strictObject({ kind: z.literal("await"), run: z.string(), troupeDirectory: z.string() }),
  /** Keeps a schedule from now on. */
  z.strictObject({ kind: z.literal("schedule"), wish: scheduleWish }),
  z.strictObject({
    kind: z.literal("change-schedule"),
    name: z.string(),
    change: z.enum(SCHEDULE_CHANGES),
  }),
]);

/** What a client can ask of the daemon. */
export type DaemonAsk = z.infer<typeof ask>;

/** What a client sends: one line. */
export const daemonRequest = z.strictObject({
  v: z.literal(DAEMON_PROTOCOL),
  id: z.number(),
  /** From the token file, which only this user can read. */
  token: z.string(),
  /** Version of the client. */
  version: z.string(),
  ask,
});

export type DaemonRequest = z.infer<typeof daemonRequest>;

/** A run that the daemon carries out, or gave up. */
export const heldRun = z.object({
  run: z.string(),
  /** Root of its project. */
  project: z.string(),
  workflow: z.string(),
  instance: z.string(),
  state: z.string(),
  /** Why it was given up; absent for runs that are carried out. */
  problem: z.string().exactOptional(),
});

export type HeldRunReport = z.infer<typeof heldRun>;

/** The answer to `status`. */
export const daemonStatus = z.object({
  pid: z.number(),
  version: z.string(),
  /** ISO time. */
  startedAt: z.string(),
  socket: z.string(),
  isDraining: z.boolean(),
  runs: z.array(heldRun).readonly(),
  givenUp: z.array(heldRun).readonly(),
});

export type DaemonStatus = z.infer<typeof daemonStatus>;

/** The answer to `start` and `resume`. */
export const runTaken = z.object({ run: z.string() });

/** The answer to `schedule` and `change-schedule`. */
export const scheduleTaken = z.object({ name: z.string() });

/** The answer to `stop`: what was let go, to go on later. */
export const daemonStopped = z.object({ suspended: z.number() });

/** The answer to `await`: how daemon and run parted. */
export const runParted = z.object({
  status: z.enum(["ended", "suspended", "failed"]),
  exitCode: z.number(),
});

export type RunParted = z.infer<typeof runParted>;
