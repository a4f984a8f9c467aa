import type { Lesson } from "../../../contracts/trajectory.ts";

/** How an agent is told its conventions: it writes signals as lines of text, or it has tools. */
export type ConventionForm = "text" | "tools";

/** Another agent of the run. */
export interface Peer {
  readonly id: string;
  readonly name?: string;
  readonly role?: string;
}

/** What every agent of every pattern is told. */
export interface ConventionFacts {
  /** The agent's own id. */
  readonly agent: string;
  /** Name of the main channel, without `#`. */
  readonly channel: string;
  /** Channels of its own that it is told of in place of the main one, without `#`. Absent: none. */
  readonly channels?: readonly string[];
  /** The other agents, without the agent itself. */
  readonly peers: readonly Peer[];
  /** The marker that the task demands; undefined when it demands none. */
  readonly marker: string | undefined;
  readonly form: ConventionForm;
  /** Before the names of Troupe's tools, as the program of the agent shows them. Absent: it is told of none beyond the form. */
  readonly toolPrefix?: string;
  /** Whether it may spawn agents of its own. Absent: it may not, or is not told. */
  readonly spawns?: true;
  /** What earlier work teaches whoever plans this one. Absent: nothing, or it does not plan. */
  readonly lessons?: readonly Lesson[];
  /** Whether the run leaves a story of what was decided and learned. Absent: it does not. */
  readonly isTold?: true;
  /** Who reflects on the work from time to time: an id, or Troupe. Absent: nobody does. */
  readonly reflector?: string;
}
