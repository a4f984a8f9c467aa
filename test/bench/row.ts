/** What a row measures: the figure that a program prints, or how long the program itself runs. */
export type Reading = "figure" | "process-ms";

/** One way to do the work of a row: a program that Node runs in a process of its own. */
export interface Contender {
  /** `raw` is the hand-written limit, `troupe` is ours, anything else a peer. */
  readonly name: string;
  /** Path below `test/bench/programs`, or absolute. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly reading?: Reading;
  /** What it does not do that ours does, or how it has been set up. */
  readonly lacks?: string;
}

/** What a row should show. */
export type Goal =
  | { readonly kind: "at-most"; readonly value: number }
  | { readonly kind: "at-least"; readonly value: number }
  | { readonly kind: "times-raw"; readonly factor: number }
  | { readonly kind: "over-raw"; readonly value: number }
  /** Where more is better. */
  | { readonly kind: "share-of-raw"; readonly share: number };

/** One line of the benchmark. */
export interface Row {
  /** Its requirement: `PERF-1`. */
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly goal: Goal;
  /** Fewer rounds than those of the benchmark, where one takes seconds. */
  readonly maxRounds?: number;
  readonly contenders: readonly Contender[];
}

/** Whether the goal is met; undefined when a figure that it needs is missing. */
export function isMet(goal: Goal, ours?: number, raw?: number): boolean | undefined {
  if (ours === undefined) return undefined;
  switch (goal.kind) {
    case "at-most":
      return ours <= goal.value;
    case "at-least":
      return ours >= goal.value;
    case "times-raw":
      return raw === undefined ? undefined : ours <= goal.factor * raw;
    case "over-raw":
      return raw === undefined ? undefined : ours <= raw + goal.value;
    case "share-of-raw":
      return raw === undefined ? undefined : ours >= raw * goal.share;
  }
}

/** The goal in the words of the table. */
export function describeGoal(goal: Goal): string {
  switch (goal.kind) {
    case "at-most":
      return `<= ${goal.value}`;
    case "at-least":
      return `>= ${goal.value}`;
    case "times-raw":
      return `<= ${goal.factor} x raw`;
    case "over-raw":
      return `<= raw + ${goal.value}`;
    case "share-of-raw":
      return `>= ${goal.share} x raw`;
  }
}
