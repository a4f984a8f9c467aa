import { type ConventionTemplate, inOneLine } from "./convention.ts";

/** What an orchestrator may ask for. */
export interface OrchestratorParams {
  /** Roles that it is told of; empty: those that its tools name. */
  readonly roles: readonly string[];
}

/** The convention of an agent that leads those that it spawns. */
export const orchestratorConvention: ConventionTemplate<OrchestratorParams> = {
  name: "collab/orchestrator",
  place: () =>
    "You are the orchestrator: nobody else takes part but those that you spawn, and your result is the result of all.",
  result: () => "what came of the whole task, so that it stands on its own",
  rules: ({ roles }) => [
    "Divide the task where its parts do not depend on each other, and do yourself what is small. An agent of yours knows nothing but its prompt: say there all that it needs, and what you want back.",
    ...(roles.length === 0
      ? []
      : [`Roles that your agents may have: ${roles.map(inOneLine).join(", ")}.`]),
    "Look at what they did before you rely on it, and ask again where it does not suffice.",
    "Finish when all that matters is done, or when you go on without the rest.",
  ],
  data: () => [],
};
