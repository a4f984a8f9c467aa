/** The workflows of the source, as files. */
export const sourceWorkflows: { readonly [name: string]: string } = {
  sequential: `{
  "id": "feature-dev",
  "description": "Plan, code, test",
  "max_iterations": 50,
  "max_duration_ms": 600000,
  "steps": [
    { "id": "plan", "type": "agent", "agent": "planner", "next": "code", "timeout_ms": 120000 },
    { "id": "code", "type": "agent", "agent": "coder", "next": "test", "max_retries": 2, "on_error": "plan" },
    { "id": "test", "type": "agent", "agent": "tester", "max_retries": 3, "on_error": "code" }
  ]
}`,
  parallel: `{
  "id": "comprehensive-test",
  "steps": [
    {
      "id": "parallel-tests",
      "type": "parallel",
      "steps": [
        { "id": "unit", "type": "agent", "agent": "test-unit" },
        { "id": "integration", "type": "agent", "agent": "test-integration" },
        { "id": "e2e", "type": "agent", "agent": "test-e2e" }
      ],
      "next": "report"
    },
    { "id": "report", "type": "agent", "agent": "reporter" }
  ]
}`,
  conditional: `{
  "id": "smart-deploy",
  "steps": [
    { "id": "test", "type": "agent", "agent": "tester", "next": "check-results" },
    {
      "id": "check-results",
      "type": "condition",
      "condition": "context.test.success === true",
      "then": "deploy",
      "else": "notify-failure"
    },
    { "id": "deploy", "type": "agent", "agent": "deployer" },
    { "id": "notify-failure", "type": "agent", "agent": "notifier" }
  ]
}`,
  failures: `{
  "id": "failures",
  "steps": [
    {
      "id": "flaky-test", "type": "agent", "agent": "tester",
      "max_retries": 3, "retry_delay_ms": 1000, "on_error": "notify", "next": "slow-task"
    },
    { "id": "slow-task", "type": "agent", "agent": "analyzer", "timeout_ms": 30000, "on_error": "skip" },
    { "id": "notify", "type": "agent", "agent": "notifier" },
    { "id": "skip", "type": "agent", "agent": "notifier" }
  ]
}`,
  references: `{
  "id": "references",
  "steps": [
    { "id": "plan", "type": "agent", "agent": "planner", "next": "extract" },
    {
      "id": "extract", "type": "transform",
      "transform": "context.plan.files", // only the files
      "output": "files",
      "next": "code"
    },
    { "id": "code", "type": "agent", "agent": "coder", "input": "files", "next": "test" },
    { "id": "test", "type": "agent", "agent": "tester", "input": "code", },
  ]
}`,
  accumulation: `{
  "id": "research-and-implement",
  "steps": [
    { "id": "research-1", "type": "agent", "agent": "researcher", "next": "research-2" },
    { "id": "research-2", "type": "agent", "agent": "researcher", "next": "synthesize" },
    { "id": "synthesize", "type": "agent", "agent": "synthesizer", "next": "code" },
    { "id": "code", "type": "agent", "agent": "coder" }
  ]
}`,
  complete: `{
  "id": "feature-development",
  "steps": [
    { "id": "plan", "type": "agent", "agent": "planner", "next": "approve-plan" },
    {
      "id": "approve-plan", "type": "approval", "message": "Approve implementation plan?",
      "on_approve": "code", "on_reject": "plan"
    },
    { "id": "code", "type": "agent", "agent": "coder", "input": "plan", "next": "parallel-tests" },
    {
      "id": "parallel-tests", "type": "parallel",
      "steps": [
        { "id": "unit", "type": "agent", "agent": "test-unit" },
        { "id": "integration", "type": "agent", "agent": "test-integration" }
      ],
      "next": "check-tests"
    },
    {
      "id": "check-tests", "type": "condition",
      "condition": "context.parallel-tests.success === true", "then": "review", "else": "code"
    },
    { "id": "review", "type": "agent", "agent": "reviewer", "input": "code" }
  ]
}`,
};
