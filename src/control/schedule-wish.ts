import { z } from "zod";
import { budgetSchema } from "../agents/budget/budget-schema.ts";
import type { Json } from "../foundation/json.ts";

const params: z.ZodType<{ readonly [name: string]: Json }> = z.record(z.string(), z.json());
const json: z.ZodType<Json> = z.json();

const rhythm = z.discriminatedUnion("kind", [
  /** `every`: a duration, as people write it; `since`: ISO time from which on it is counted. */
  z.strictObject({ kind: z.literal("every"), every: z.string(), since: z.string() }),
  z.strictObject({ kind: z.literal("cron"), cron: z.string(), timeZone: z.string() }),
]);

/** When a schedule starts something. */
export type Rhythm = z.infer<typeof rhythm>;

/** How a schedule's workflow is loaded. */
const request = z.strictObject({
  /** Absolute path, or the name that problems show for `text`. */
  file: z.string(),
  /** Of a template. */
  text: z.string().exactOptional(),
  /** All that was given: it may shape a template. */
  params: params.exactOptional(),
  backend: z.string().exactOptional(),
  importFrom: z.string().exactOptional(),
  cassette: z.string().exactOptional(),
});

/** What each run is started with. */
const start = z.strictObject({
  /** The workflow file, as it was named. */
  file: z.string().exactOptional(),
  task: z.string().exactOptional(),
  params: params.exactOptional(),
  input: json.exactOptional(),
  instance: z.string(),
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
});

/** What a person asks for who makes a schedule. */
export const scheduleWish = z.strictObject({
  name: z.string(),
  /** Directory where agents start, absolute. */
  cwd: z.string(),
  /** Root of its project. */
  project: z.string(),
  troupeDirectory: z.string(),
  rhythm,
  request,
  start,
});

export type ScheduleWish = z.infer<typeof scheduleWish>;
