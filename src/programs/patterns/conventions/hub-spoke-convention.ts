import { type ConventionTemplate, toolName } from "./convention.ts";

/** Where the hub stands. */
export interface HubParams {
  readonly workers: readonly string[];
  /** Whether a worker waits until the hub writes to it. */
  readonly assign: boolean;
  /** Whether messages drive them; else each has a step of its own. */
  readonly isDriven: boolean;
  /** Whether it has a tool that starts more workers. */
  readonly canSpawn: boolean;
  /** See ConventionFacts. */
  readonly toolPrefix?: string;
}

/** The convention of the hub. */
export const hubConvention: ConventionTemplate<HubParams> = {
  name: "hub-spoke/hub",
  place: ({ workers, isDriven }) =>
    `You are the hub: ${workers.length === 0 ? "there are no workers yet" : `${workers.join(", ")} report to you`}.${isDriven ? " Your result is the result of all." : ""}`,
  result: () => "a summary of what all of you came to",
  rules: ({ assign, isDriven, canSpawn, ...params }) =>
    isDriven
      ? [
          ...(canSpawn
            ? [
                `The tool ${toolName(params, "spawn_agent")} starts one more worker, who reports to you; use it when the parts do not suffice.`,
              ]
            : []),
          assign
            ? "A worker starts when you write to it, and not before."
            : "The workers have parts of their own and start beside you.",
          "Who is named with @ in your answer gets it as a message. What workers say comes to you by itself and starts your next turn, so end your turn instead of waiting.",
          "A message to a worker that is done makes it work again.",
          "Finish when all parts are done, or when you go on without the rest.",
        ]
      : [],
  data: () => [],
};

/** Where a worker stands. */
export interface WorkerParams {
  readonly hub: string;
  /** The others that it may write to. */
  readonly others: readonly string[];
  readonly isDriven: boolean;
}

/** The convention of a worker. */
export const workerConvention: ConventionTemplate<WorkerParams> = {
  name: "hub-spoke/worker",
  place: ({ hub }) => `You are a worker and report to ${hub}.`,
  result: () => "a summary of what you did and found",
  rules: ({ hub, others, isDriven }) =>
    isDriven
      ? [
          `What you answer goes to ${hub} by itself. Without a final signal it is a message: then you wait until you are written to.`,
          `You may write to ${[hub, ...others].join(", ")}.`,
          "Messages that only say `ACK:` or `PROGRESS: 40%` interrupt nobody.",
        ]
      : [],
  data: () => [],
};
