import type { AgentExitReason } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { AgentResult, WorkflowResult } from "../../contracts/workflow-result.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { allMessages, type MessageSource } from "../../fold/state/message-source.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState } from "../../fold/state/step-state.ts";
import { finalOutput } from "../primitives/step-results.ts";

/** A workflow with the pattern that it names. */
export interface PatternWorkflow {
  readonly pattern: Pick<Pattern, "results" | "metadata">;
  readonly definition: PatternDefinition;
}

/** What a pattern workflow came to, also when it was cut short: from the journal, and from the program if it returned. */
export function toWorkflowResult(
  source: MessageSource,
  workflow: PatternWorkflow,
  result: ProgramResult | undefined,
): WorkflowResult {
  const { state } = source;
  const { pattern, definition } = workflow;
  const success = result?.outcome === "completed" && state.cancellation === undefined;
  return {
    pattern: definition.pattern,
    agents: agentResults(source, definition),
    durationMs: state.runningTime.totalMs,
    success,
    output: typeof result?.output === "string" ? result.output : outputSoFar(state, workflow),
    metadata:
      result?.metadata ?? pattern.metadata?.(definition, state.advances, cutBy(state)) ?? {},
  };
}

function cutBy({ cancellation }: RunState): "cancelled" | "limit" {
  return cancellation === undefined ? "limit" : "cancelled";
}

/** What was completed of a run that was cut short. */
function outputSoFar(state: RunState, { pattern, definition }: PatternWorkflow): string {
  return finalOutput(pattern, definition, (step) => {
    const done = state.steps.byPath.get(step);
    return done?.status === "completed" ? done.output : undefined;
  });
}

function agentResults(
  source: MessageSource,
  definition: PatternDefinition,
): readonly AgentResult[] {
  const { state } = source;
  const lastSteps = new Map<string, StepState>();
  const lastOutputs = new Map<string, string>();
  for (const step of state.steps.byPath.values()) {
    if (step.agent === undefined) continue;
    lastSteps.set(step.agent, step);
    if (step.status === "completed") lastOutputs.set(step.agent, step.output);
  }
  // All at once: what is read from the journal is read in its order.
  const said = Map.groupBy(allMessages(source), ({ from }) => from);
  return [...state.agents.values()].map((agent) => {
    const last = lastSteps.get(agent.id);
    const summary = lastOutputs.get(agent.id);
    return {
      name: agent.id,
      exitReason: exitReasonOf(agent, last, definition),
      ...(last?.status === "completed" ? { completedBy: last.reason } : {}),
      messages: said.get(agent.id) ?? [],
      ...(summary === undefined ? {} : { summary }),
    };
  });
}

/** Fails the step of an agent that takes no more turns. */
const AGENT_GONE = "AGENT_GONE";

function exitReasonOf(
  agent: AgentState,
  last: StepState | undefined,
  { steps }: PatternDefinition,
): AgentExitReason {
  switch (last?.status) {
    case "completed":
      return "exited";
    case "failed":
      // It was stopped before its step could end: how it left says more than that the step failed of it.
      return last.error.code === AGENT_GONE ? (agent.exit?.reason ?? "failed") : "failed";
    case "running":
    case "retrying":
      // Only a deadline or a cancellation cuts a step short and still ends the run.
      return agent.exit?.reason === "cancelled" ? "cancelled" : "timeout";
    case "cancelled":
      // Where the agents decide when all is done, the others are let go.
      return steps.length === 0 ? (agent.exit?.reason ?? "cancelled") : "cancelled";
    default:
      return agent.exit?.reason ?? "released";
  }
}
