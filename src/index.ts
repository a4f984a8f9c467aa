export type {
  AgentFunction,
  AgentFunctionInput,
} from "./agents/backends/function/agent-function.ts";
export type { ApprovalMode } from "./app/approval-mode.ts";
export type { RunComparison } from "./app/compare/compare-runs.ts";
export type { Fork, ForkRequest } from "./app/fork/fork-run.ts";
export type { RunHooks } from "./app/hooks.ts";
export type { Machine, MachineOptions } from "./app/machine.ts";
export type { OwnCode, UserStepType } from "./app/plugins/workflow-code.ts";
export type { Project } from "./app/project.ts";
export type { RerunChoice } from "./app/rerun/rerun-choice.ts";
export type { Rerun } from "./app/rerun/rerun-run.ts";
export type { Resumption } from "./app/resume-run.ts";
export type { BuiltSteps, BuiltTeam } from "./app/sdk/built-workflow.ts";
export { type DagNode, type DagOptions, dag } from "./app/sdk/dag.ts";
export { type DeclaredStepType, defineGuard, defineStepType } from "./app/sdk/define-step-type.ts";
export { compareRuns, forkRun, type RunPlace, rerunRun } from "./app/sdk/earlier-runs.ts";
export { type FanOutOptions, fanOut } from "./app/sdk/fan-out.ts";
export { type LoadWorkflowOptions, loadWorkflow, type Workflow } from "./app/sdk/load-workflow.ts";
export { type PipelineStage, pipeline } from "./app/sdk/pipeline.ts";
export { type ResumeRunOptions, resumeRun } from "./app/sdk/resume-run.ts";
export {
  type RunStepsOptions,
  type RunWorkflowOptions,
  runWorkflow,
} from "./app/sdk/run-workflow.ts";
export { createMachine } from "./app/sdk/sdk-machine.ts";
export type { StepAgent } from "./app/sdk/step-agents.ts";
export type { PlacedRecord } from "./app/sdk/step-history.ts";
export type { StepWorkflowContext, StepWorkflowResult } from "./app/sdk/step-result.ts";
export { readStepResult, type StepWorkflowRun } from "./app/sdk/step-run.ts";
export type { ShadowOptions, TaskDefinition, WorkflowOptions } from "./app/sdk/task-definition.ts";
export { type WorkflowBuilder, workflow } from "./app/sdk/workflow-builder.ts";
export type { LiveAgent, WorkflowRun } from "./app/workflow-run.ts";
export type {
  AgentConstraints,
  AgentExitReason,
  AgentSpec,
  AgentStatus,
  CompletionReason,
} from "./contracts/agent.ts";
export type { Budget } from "./contracts/budget.ts";
export type {
  KickoffDefinition,
  PatternDefinition,
  StepsDefinition,
  WorkflowDefinition,
} from "./contracts/definition.ts";
export type { JournalEvent, WireEvent } from "./contracts/event.ts";
export { toWireEvent } from "./contracts/event.ts";
export type { RunCommand } from "./contracts/events/run-events.ts";
export type { FlowStep } from "./contracts/flow-step.ts";
export type { ResourceLimits } from "./contracts/host.ts";
export type { Message } from "./contracts/message.ts";
export type { Outcome, RunLimits } from "./contracts/run.ts";
export type { StepSpec, VerificationSpec } from "./contracts/step.ts";
export type { StepProgress, StepRecord, WorkflowContext } from "./contracts/step-context.ts";
export type {
  StepGuard,
  StepScope,
  StepTypeCall,
  StepTypeOptions,
} from "./contracts/step-type.ts";
export type { AgentResult, WorkflowResult } from "./contracts/workflow-result.ts";
export type { RunParting } from "./engine/run-exit.ts";
export type { RunState } from "./fold/run-state.ts";
export { type ErrorReport, TroupeError, toErrorReport } from "./foundation/errors.ts";
export type { Json } from "./foundation/json.ts";
