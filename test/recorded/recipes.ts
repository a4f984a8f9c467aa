/** How one recorded run was made, by command lines of `troupe` in a copy of the folder workflows. */
export interface Recipe {
  readonly name: string;
  readonly args: readonly string[];
  /** What is run before, to its end; `@last` means its run. */
  readonly before?: readonly string[];
}

/** Where a run was killed: after a quarter, a half and three quarters of its events. */
export const KILLS = ["killed-early", "killed-midway", "killed-late"] as const;

const STEPS = ["run", "steps.yaml", "the task", "--approve", "all"];

/** Every shape that a run has. */
export const RECIPES: readonly Recipe[] = [
  {
    name: "agent",
    args: ["run", "--agent", "command", "the task", "--", "sh", "work.sh", "alone"],
  },
  { name: "pipeline", args: ["run", "pipeline.yaml", "the task"] },
  { name: "dag", args: ["run", "dag.yaml", "the task"] },
  { name: "fan-out", args: ["run", "fan-out.yaml", "the task"] },
  { name: "steps", args: STEPS },
  { name: "people", args: ["run", "people.yaml", "--approve", "all"] },
  { name: "kickoff", args: ["run", "kickoff.yaml"] },
  { name: "family", args: ["run", "family.yaml", "the task"] },
  {
    name: "fork",
    before: STEPS,
    args: ["fork", "@last", "--at", "climb", "--approve", "all"],
  },
  {
    name: "rerun",
    before: STEPS,
    args: ["rerun", "@last", "--from", "opinions", "--approve", "all"],
  },
];
