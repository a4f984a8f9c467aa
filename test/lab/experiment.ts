import type { Random } from "../../src/foundation/random.ts";
import type { Interval } from "./interval.ts";

/** A published law, played by simulated participants with Troupe's own code. */
export interface Experiment {
  readonly name: string;
  readonly title: string;
  /** What is published, in one sentence. */
  readonly law: string;
  readonly source: string;
  /** Who plays what, by which code, and what that leaves out. */
  readonly played: string;
  run(lab: Lab): Promise<Finding>;
}

/** What an experiment is carried out with. */
export interface Lab {
  /** Numbers that depend on the seed of the lab and on this name alone. */
  draw(name: string): Random;
  /** How many times something is tried, of the times that a full run takes; 2 at least. */
  tries(full: number): number;
}

/** What came of it. */
export interface Finding {
  readonly plot: Plot;
  readonly claims: readonly Claim[];
}

/** One thing that is published, and what was found. */
export interface Claim {
  readonly what: string;
  /** What the law says, in words or as a figure. */
  readonly published: string;
  readonly found: Interval;
  /** Digits behind the point. */
  readonly digits: number;
  readonly holds: boolean;
}

/** Lines over one axis. */
export interface Plot {
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

export interface Axis {
  readonly label: string;
  readonly type?: "linear" | "log";
}

/** Points in their order. A law is drawn as it is, what was found with its bounds. */
export interface Line {
  readonly label: string;
  readonly points: readonly (Interval & { readonly x: number })[];
  readonly isLaw: boolean;
}

/** What a law says, as a line without bounds. */
export function lawLine(label: string, xs: readonly number[], law: (x: number) => number): Line {
  const points = xs.map((x) => ({ x, value: law(x), low: law(x), high: law(x) }));
  return { label, points, isLaw: true };
}

/** What was found, as a line with bounds. */
export function foundLine(label: string, found: ReadonlyMap<number, Interval>): Line {
  return { label, points: [...found].map(([x, interval]) => ({ x, ...interval })), isLaw: false };
}
