/** How the work of a run is reflected on (PRM-reflection). */
export interface ReflectionSpec {
  /** Importance of what was said, added up, with which a reflection is due; more than 0. */
  readonly threshold: number;
  /** Id of the agent that reflects. Absent: the lead, else Troupe. */
  readonly reflector?: string;
  /** What the reflector is asked, in place of Troupe's words. */
  readonly prompt?: string;
  /** Id of the agent that says how important messages are. Absent: their words do. */
  readonly scorer?: string;
  /** Functions that whoever has started the run in code gives it. Absent: none. */
  readonly functions?: readonly (keyof ReflectionFunctions)[];
}

/** Accumulated importance where nobody says another. */
export const DEFAULT_REFLECTION_THRESHOLD = 50;

/** What a reflection can change. */
export const ADJUSTMENT_ACTIONS = ["reassign", "release", "message", "spawn"] as const;

/** Something that is to change after a reflection. */
export interface ReflectionAdjustment {
  /** Whom it concerns; of `spawn` the id of the new one. */
  readonly agent: string;
  readonly action: (typeof ADJUSTMENT_ACTIONS)[number];
  /** The new part of the agent, or the message. */
  readonly content?: string;
}

/** An adjustment and what came of it. */
export interface CarriedAdjustment extends ReflectionAdjustment {
  readonly result: "done" | "refused";
  /** Why it was refused. */
  readonly reason?: string;
}

/** How an agent does, as a reflection sees it. `done`: it has said so, or has left. */
export type ReflectedStatus = "active" | "done" | "stuck" | "idle";

/** A message, as whoever reflects sees it. */
export interface ReflectedMessage {
  readonly from: string;
  readonly text: string;
  /** From 1 to 10. */
  readonly importance: number;
}

/** A reflection of before. */
export interface ReflectionEvent {
  /** ISO 8601. */
  readonly ts: string;
  readonly by: string;
  readonly synthesis: string;
  readonly focalPoints: readonly string[];
  readonly adjustments: readonly CarriedAdjustment[];
  readonly confidence: number;
}

/** What a function that reflects is told. */
export interface ReflectionContext {
  /** What was said since the last reflection, the oldest first; the last 32 KiB of it. */
  readonly recentMessages: readonly ReflectedMessage[];
  /** By id. */
  readonly agentStatuses: ReadonlyMap<string, ReflectedStatus>;
  /** Since the pattern began. */
  readonly elapsedMs: number;
  readonly priorReflections: readonly ReflectionEvent[];
}

/** Functions that take part in reflections. Each answer is journaled: nobody is asked twice. */
export interface ReflectionFunctions {
  /** Is asked with every reflection; what it returns is carried out after what the reflector wants. */
  readonly onReflect?: (
    context: ReflectionContext,
  ) => Promise<readonly ReflectionAdjustment[] | null> | readonly ReflectionAdjustment[] | null;
  /** How important a message is, from 1 to 10; for any other answer its words count. */
  readonly scorer?: (message: Pick<ReflectedMessage, "from" | "text">) => Promise<number> | number;
}
