import { z } from "zod";
import { scheduleWish } from "../../control/schedule-wish.ts";

/** What a person saw who let a schedule go on: it starts nothing else. */
const accepted = z.strictObject({
  /** SHA-256 of the text of the workflow. */
  fileHash: z.string(),
  /** What of the project was not trusted then, so that it takes no effect. */
  leftOut: z.array(z.string()).readonly(),
  /** Whether the project was on the list of trusted ones. */
  wasTrusted: z.boolean(),
});

export type Accepted = z.infer<typeof accepted>;

const time = {
  /** The time of the schedule, ISO. */
  due: z.string(),
  /** When it was decided, ISO. */
  at: z.string(),
  /** Times before it that passed while nobody looked. */
  missed: z.number(),
};

/** What became of one time of a schedule. `starting`: it was decided, and nothing is known to have been started. */
const scheduledStart = z.discriminatedUnion("status", [
  z.object({ ...time, status: z.literal("starting"), run: z.string() }),
  z.object({ ...time, status: z.literal("started"), run: z.string() }),
  /** `run`: that goes on still. */
  z.object({ ...time, status: z.literal("skipped"), run: z.string() }),
  z.object({ ...time, status: z.literal("held"), reason: z.string() }),
  z.object({ ...time, status: z.literal("failed"), reason: z.string() }),
]);

export type ScheduledStart = z.infer<typeof scheduledStart>;

/** Something that the daemon is to start again and again, and what it did about it. */
export const schedule = z.object({
  ...scheduleWish.shape,
  status: z.enum(["active", "paused"]),
  accepted,
  /** ISO time. */
  createdAt: z.string(),
  /** ISO time up to which all of its times are decided. */
  decidedUntil: z.string(),
  /** The latest ones, in order. */
  starts: z.array(scheduledStart).readonly(),
});

export type Schedule = z.infer<typeof schedule>;

// Enough to see what it does; its runs tell the rest.
const KEPT_STARTS = 50;

/** The schedule after one more of its times was decided. A later word about the same time takes the place of the one before. */
export function withStart(before: Schedule, decided: ScheduledStart): Schedule {
  const others = before.starts.filter(({ due }) => due !== decided.due);
  const starts = [...others, decided].slice(-KEPT_STARTS);
  const isLater = Date.parse(decided.due) > Date.parse(before.decidedUntil);
  return { ...before, starts, decidedUntil: isLater ? decided.due : before.decidedUntil };
}
