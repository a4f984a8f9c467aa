export type { Fork, ForkRequest } from "./app/again/fork/fork-run.ts";
export type { RerunChoice } from "./app/again/rerun/rerun-choice.ts";
export type { Rerun } from "./app/again/rerun/rerun-run.ts";
export type { AgentRunResult } from "./app/history/agent-result.ts";
export type { RunComparison } from "./app/history/compare/compare-runs.ts";
export type { Machine, MachineOptions } from "./app/machine/machine.ts";
export type { Project } from "./app/machine/place/project.ts";
export type { RunHooks } from "./app/run/owner/hooks.ts";
export type {
  LiveAgent,
  RunDecision,
  SendOptions,
  WorkflowRun,
} from "./app/run/owner/workflow-run.ts";
export type { Resumption } from "./app/run/resume-run.ts";
export type {
  OwnCode,
  UserBackend,
  UserPattern,
  UserStepType,
} from "./app/workflow/code/workflow-code.ts";
export type {
  AgentConstraints,
  AgentExitReason,
  AgentSpec,
  AgentStatus,
  CompletionReason,
} from "./contracts/agent.ts";
export type {
  AgentFunction,
  AgentFunctionInput,
  SignallingAnswer,
} from "./contracts/agent-function.ts";
export type {
  AgentBackend,
  AgentSession,
  BackendProblem,
  SessionRequest,
  StopReason,
  TurnRequest,
  TurnUpdate,
} from "./contracts/backend.ts";
export type { Budget } from "./contracts/budget.ts";
export type { ConversationMessage, SaidPart } from "./contracts/conversation.ts";
export type {
  KickoffDefinition,
  PatternDefinition,
  StepsDefinition,
  WorkflowDefinition,
} from "./contracts/definition.ts";
export type { JournalEvent, WireEvent } from "./contracts/events/event.ts";
export { toWireEvent } from "./contracts/events/event.ts";
export type { RunCommand } from "./contracts/events/run-events.ts";
export type { FlowStep } from "./contracts/flow-step.ts";
export type { ResourceLimits } from "./contracts/host.ts";
export type { Message } from "./contracts/message.ts";
export type { BackendMeans, BackendOptions, BackendTurn } from "./contracts/own-backend.ts";
export type { OwnModel, OwnTool, OwnToolUse } from "./contracts/own-model.ts";
export type { Bid, PatternFunctions, SaidMessage } from "./contracts/pattern-functions.ts";
export type { Context } from "./contracts/ports/context.ts";
export type {
  PatternAnswer,
  PatternEnd,
  PatternOptions,
  PatternTeam,
  PatternTurn,
} from "./contracts/ports/own-pattern.ts";
export type {
  PatternAdvance,
  PatternFault,
  RouteTest,
  TurnEstimate,
} from "./contracts/ports/pattern.ts";
export type {
  StepGuard,
  StepScope,
  StepTypeCall,
  StepTypeOptions,
} from "./contracts/ports/step-type.ts";
export type {
  ReflectionAdjustment,
  ReflectionContext,
  ReflectionEvent,
} from "./contracts/reflection.ts";
export {
  APPROVAL_MODES,
  type ApprovalMode,
  OUTCOMES,
  type Outcome,
  type RunLimits,
} from "./contracts/run.ts";
export type { StepCommand, StepSpec, VerificationSpec } from "./contracts/step.ts";
export type { StepProgress, StepRecord, WorkflowContext } from "./contracts/step-context.ts";
export type { TrajectoryRecord } from "./contracts/trajectory.ts";
export type { AgentResult, WorkflowResult } from "./contracts/workflow-result.ts";
export type { RunParting } from "./engine/run-exit.ts";
export type { RunState } from "./fold/state/run-state.ts";
export { type ErrorReport, TroupeError, toErrorReport } from "./foundation/errors.ts";
export type { Json } from "./foundation/json.ts";
export type { IterationRecord, IterativeResult } from "./programs/iterate/iteration-record.ts";
export type { PoolMember } from "./programs/primitives/pool-generations.ts";
export { AgentExecutor, type AgentExecutorOptions } from "./sdk/agent-executor.ts";
export type { AgentPool, Evolution } from "./sdk/agent-pool.ts";
export {
  type ConsensusOptions,
  consensus,
  type DebateOptions,
  type Debater,
  debate,
  type GossipOptions,
  gossip,
  type MeshOptions,
  mesh,
  type PoolOptions,
  pool,
} from "./sdk/assemblies.ts";
export type { BuiltSteps, BuiltTeam } from "./sdk/built-workflow.ts";
export {
  type DeclaredStepType,
  declarePattern as definePattern,
  declareTool as defineTool,
  defineBackend,
  defineGuard,
  defineModel,
  defineStepType,
} from "./sdk/define-code.ts";
export { compareRuns, forkRun, type RunPlace, rerunRun } from "./sdk/earlier-runs.ts";
export { type IterateOptions, iterate, readIterativeResult } from "./sdk/iterate-function.ts";
export {
  type CollaborationOptions,
  collab,
  type HierarchicalAgent,
  type HierarchicalOptions,
  type HubAndSpokeOptions,
  hierarchical,
  hubAndSpoke,
} from "./sdk/led-teams.ts";
export {
  type LoadedCode,
  type LoadWorkflowOptions,
  loadWorkflow,
  type Workflow,
} from "./sdk/load-workflow.ts";
export {
  type DagNode,
  type DagOptions,
  dag,
  type FanOutOptions,
  fanOut,
  type PipelineStage,
  type PrunerOptions,
  pipeline,
} from "./sdk/patterns.ts";
export { type ResumeRunOptions, resumeRun } from "./sdk/resume-run.ts";
export {
  type Loading,
  type PatternContent,
  type RunStepsOptions,
  type RunWorkflowOptions,
  runWorkflow,
} from "./sdk/run-workflow.ts";
export { createMachine } from "./sdk/sdk-machine.ts";
export type {
  AgentCli,
  IterationCondition,
  YamlAgent,
  YamlBarrier,
  YamlStep,
  YamlVerification,
  YamlWorkflow,
} from "./sdk/source-types.ts";
export type { StepAgent } from "./sdk/step-agents.ts";
export type { PlacedRecord } from "./sdk/step-history.ts";
export type { StepWorkflowContext, StepWorkflowResult } from "./sdk/step-result.ts";
export { readStepResult, type StepWorkflowRun } from "./sdk/step-run.ts";
export {
  type AuctionOptions,
  auction,
  type CascadeOptions,
  type CascadeTier,
  cascade,
  type HandoffOptions,
  type HandoffRoute,
  handoff,
} from "./sdk/successions.ts";
export type { MemberTask, TalkOptions } from "./sdk/talk-definition.ts";
export type {
  CommandCheck,
  ShadowOptions,
  TaskDefinition,
  WorkflowOptions,
} from "./sdk/task-definition.ts";
export type { TeamBuilder } from "./sdk/team-builder.ts";
export { type TeamMember, type TeamOptions, team } from "./sdk/team-function.ts";
export { type WorkflowBuilder, workflow } from "./sdk/workflow-builder.ts";
export type { TrajectoryOptions } from "./workflows/resolve/resolve-trajectory.ts";
