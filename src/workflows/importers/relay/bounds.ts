import type { Remark, Remarks } from "../parts/notes.ts";

const MORE = "without it the workflow could do more";
const TIME = "write swarm.timeoutMs for the workflow, or timeoutMs of each step, and remove this";
const COST = "write budget for the workflow or an agent, and remove this";
const ATTEMPTS = "write maxIterations of each step, and remove this";
const TOOLS = "say it with permissionMode, constraints or isolation of the agent, and remove this";
const WIDTH = "write it into swarm, and remove this";
const CONDITION = {
  what: "without it the step would always run",
  hint: "say it with when of the step, and remove this",
};
const MERGED = {
  what: "what is merged from elsewhere is not read, and could be what bounds this",
  hint: "write its members here",
};

/** What people bound a workflow by: where a place has no such key, it is refused, not left out. */
export const BOUNDS: Remarks = {
  ...saying({ what: MORE, hint: TIME }, ["timeoutMs", "timeout", "maxDuration", "maxDurationMs"]),
  ...saying({ what: MORE, hint: COST }, [
    ...["budget", "tokenBudget", "maxTokens", "maxCost", "maxCostUsd", "maxBudget"],
  ]),
  ...saying({ what: MORE, hint: ATTEMPTS }, ["maxTurns", "maxIterations", "maxRounds"]),
  ...saying({ what: MORE, hint: WIDTH }, ["maxConcurrency", "maxAgents"]),
  ...saying({ what: MORE, hint: TOOLS }, [
    ...["tools", "allowTools", "allowedTools", "disallowedTools", "disabledTools", "deniedTools"],
    ...["sandbox", "permission", "permissions", "readOnly", "readonly", "access"],
  ]),
  ...saying(CONDITION, ["when", "if", "condition", "unless", "skipIf"]),
  "<<": MERGED,
};

function saying(remark: Remark, keys: readonly string[]): Remarks {
  return Object.fromEntries(keys.map((key) => [key, remark]));
}
