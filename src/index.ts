export type {
  AgentFunction,
  AgentFunctionInput,
} from "./agents/backends/function/agent-function.ts";
export type { ApprovalMode } from "./app/approval-mode.ts";
export type { RunHooks } from "./app/hooks.ts";
export type { Machine, MachineOptions } from "./app/machine.ts";
export type { Project } from "./app/project.ts";
export type { Resumption } from "./app/resume-run.ts";
export { type DagNode, type DagOptions, dag } from "./app/sdk/dag.ts";
export { type FanOutOptions, fanOut } from "./app/sdk/fan-out.ts";
export { type LoadWorkflowOptions, loadWorkflow, type Workflow } from "./app/sdk/load-workflow.ts";
export { type PipelineStage, pipeline } from "./app/sdk/pipeline.ts";
export { type ResumeRunOptions, resumeRun } from "./app/sdk/resume-run.ts";
export { type RunWorkflowOptions, runWorkflow } from "./app/sdk/run-workflow.ts";
export { createMachine } from "./app/sdk/sdk-machine.ts";
export type { ShadowOptions, TaskDefinition, WorkflowOptions } from "./app/sdk/task-definition.ts";
export type { LiveAgent, WorkflowRun } from "./app/workflow-run.ts";
export type {
  AgentConstraints,
  AgentExitReason,
  AgentSpec,
  AgentStatus,
  CompletionReason,
} from "./contracts/agent.ts";
export type { Budget } from "./contracts/budget.ts";
export type { PatternDefinition } from "./contracts/definition.ts";
export type { JournalEvent, WireEvent } from "./contracts/event.ts";
export { toWireEvent } from "./contracts/event.ts";
export type { RunCommand } from "./contracts/events/run-events.ts";
export type { Message } from "./contracts/message.ts";
export type { Outcome, RunLimits } from "./contracts/run.ts";
export type { StepSpec, VerificationSpec } from "./contracts/step.ts";
export type { AgentResult, WorkflowResult } from "./contracts/workflow-result.ts";
export type { RunParting } from "./engine/run-exit.ts";
export type { RunState } from "./fold/run-state.ts";
export { type ErrorReport, TroupeError, toErrorReport } from "./foundation/errors.ts";
export type { Json } from "./foundation/json.ts";
