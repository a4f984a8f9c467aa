import { z } from "zod";
import { toPrintableLines } from "../foundation/printable.ts";

/** Where trajectories lie below a project unless somebody says otherwise; the package agent-trajectories looks there. */
export const TRAJECTORIES_DIRECTORY = ".agentworkforce/trajectories";

/** What a workflow says of the trajectory of its runs (TRJ-5). Present when they leave one. */
export interface TrajectorySpec {
  /** Who the trajectory says has led the work. */
  readonly agentName: string;
  /** The directory of all trajectories, relative to the project. Absent: TRAJECTORIES_DATA_DIR, else the usual one. */
  readonly dataDir?: string;
  /** What the work was done for. */
  readonly taskSource?: { readonly system: string; readonly id: string; readonly url?: string };
  /** Whether the trajectory records what agents say. */
  readonly autoRecordMessages: boolean;
  /** Whether the trajectory records reflections of agents. */
  readonly autoRecordReflections: boolean;
  /** Whoever plans is told what earlier work on the like has taught. Absent: nobody is. */
  readonly learnFrom?: true;
}

/** What is remembered of earlier work. */
export interface Lesson {
  /** Id of the trajectory that tells it. */
  readonly of: string;
  readonly text: string;
}

const MAX_RECORD_CHARS = 4000;
const MAX_ITEM_CHARS = 500;
const MAX_ITEMS = 20;

// Whoever reads trajectories may print them as they are: what moves a terminal, or hides text, never gets in.
const said = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .transform((given) => toPrintableLines(given).join("\n").trim())
    .pipe(z.string().min(1, "must say something"));
const items = z.array(said(MAX_ITEM_CHARS)).max(MAX_ITEMS);
const sureness = z.number().min(0).max(1).exactOptional();

/** What somebody adds to the trajectory of a run, as it is taken in: control characters are gone. */
export const trajectoryRecordSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("decision"),
    chosen: said(MAX_RECORD_CHARS),
    question: said(MAX_ITEM_CHARS).exactOptional(),
    reasoning: said(MAX_RECORD_CHARS).exactOptional(),
    alternatives: items.exactOptional(),
    confidence: sureness,
  }),
  z.strictObject({ kind: z.literal("finding"), text: said(MAX_RECORD_CHARS) }),
  z.strictObject({
    kind: z.literal("reflection"),
    text: said(MAX_RECORD_CHARS),
    focalPoints: items.exactOptional(),
    adjustments: said(MAX_RECORD_CHARS).exactOptional(),
    confidence: sureness,
  }),
]);

/** A choice, something that was found out, or what somebody makes of the work so far. */
export type TrajectoryRecord = z.infer<typeof trajectoryRecordSchema>;

// The format of files, which are those of the package agent-trajectories 0.6.1.

const text = z.string().min(1);
const share = z.number().min(0).max(1);
const time = z.iso.datetime();

const decisionSchema = z.object({
  question: text,
  chosen: text,
  alternatives: z.array(
    z.union([z.string(), z.object({ option: text, reason: z.string().exactOptional() })]),
  ),
  reasoning: text,
  confidence: share.exactOptional(),
});

const eventSchema = z.object({
  ts: z.int().positive(),
  type: z.string(),
  content: text,
  raw: z.unknown().optional(),
  significance: z.enum(["low", "medium", "high", "critical"]).exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  confidence: share.exactOptional(),
});

const chapterSchema = z.object({
  id: text,
  title: text,
  agentName: text,
  startedAt: time,
  endedAt: time.exactOptional(),
  events: z.array(eventSchema),
});

const retrospectiveSchema = z.object({
  summary: text,
  approach: text,
  decisions: z.array(decisionSchema).exactOptional(),
  challenges: z.array(z.string()).exactOptional(),
  learnings: z.array(z.string()).exactOptional(),
  suggestions: z.array(z.string()).exactOptional(),
  confidence: share,
  timeSpent: z.string().exactOptional(),
});

/** A trajectory as files hold it. */
export const trajectorySchema = z.object({
  id: z.string().regex(/^traj_[a-z0-9_]+$/),
  version: z.literal(1),
  task: z.object({
    title: text.max(500),
    description: z.string().exactOptional(),
    source: z
      .object({ system: z.string(), id: text, url: z.url().exactOptional() })
      .exactOptional(),
  }),
  status: z.enum(["active", "completed", "abandoned"]),
  startedAt: time,
  completedAt: time.exactOptional(),
  agents: z.array(
    z.object({ name: text, role: text, joinedAt: time, leftAt: time.exactOptional() }),
  ),
  chapters: z.array(chapterSchema),
  retrospective: retrospectiveSchema.exactOptional(),
  commits: z.array(z.string()).default([]),
  filesChanged: z.array(z.string()).default([]),
  projectId: z.string().exactOptional(),
  workflowId: z.string().exactOptional(),
  tags: z.array(z.string()).default([]),
  _trace: z
    .object({ startRef: text, endRef: text.exactOptional(), traceId: z.string().exactOptional() })
    .exactOptional(),
});

/** The story of a piece of work: who did what, what was decided, and what came of it. */
export type Trajectory = z.infer<typeof trajectorySchema>;

/** A part of a trajectory: what one agent did in one go. */
export type TrajectoryChapter = z.infer<typeof chapterSchema>;

/** One thing that happened. */
export type TrajectoryEvent = z.infer<typeof eventSchema>;

/** A choice with what it was made from. */
export type TrajectoryDecision = z.infer<typeof decisionSchema>;

/** What is to be remembered of the whole. */
export type Retrospective = z.infer<typeof retrospectiveSchema>;

/** Who has changed which files, as a file beside the trajectory holds it. */
export interface TrajectoryTrace {
  readonly version: "1.0.0";
  readonly id: string;
  /** ISO time. */
  readonly timestamp: string;
  /** Id of the trajectory. */
  readonly trajectory: string;
  readonly files: readonly {
    readonly path: string;
    readonly conversations: readonly {
      readonly contributor: { readonly type: string; readonly model_id?: string };
      readonly ranges: readonly never[];
    }[];
  }[];
}
