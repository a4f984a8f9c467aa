export type { RunEvidence } from "../app/trial/run-evidence.ts";
export type { NumberMatch, RunExpectation, TextMatch } from "../app/trial/test-file-schema.ts";
export {
  type BackendBehaviour,
  type BackendCase,
  type BackendFixture,
  backendConformance,
} from "./backend-conformance.ts";
export { createOwnBackend, type OwnBackend } from "./create-own-backend.ts";
export {
  defineTestWorkflow,
  type TestAgent,
  type TestStep,
  type TestWorkflow,
} from "./define-test-workflow.ts";
export { expectRun, type RunAssertions } from "./expect-run.ts";
export type { JournalCase, StoreUnderTest } from "./journal-case.ts";
export { journalConformance } from "./journal-conformance.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";
export {
  type PlayedCase,
  playWorkflow,
  runWorkflowInMemory,
  startInMemory,
  type TestProcess,
  type TestStart,
} from "./run-workflow-in-memory.ts";
export type { FinishedRun, TestedRun } from "./tested-run.ts";
export {
  createRecordingClient,
  createTurnRequest,
  type RecordingClient,
} from "./turn-request.ts";
