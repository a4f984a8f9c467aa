import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defineStepType,
  type StepWorkflowResult,
  type WorkflowRun,
  workflow,
} from "../../../src/index.ts";

const agents = { planner: { backend: "claude" }, coder: {} } as const;

test("names of steps, agents, routes and data that do not exist do not compile [SDK-2]", () => {
  const begun = workflow("feature").agents(agents);
  const built = begun.steps(
    {
      plan: { type: "agent", agent: "planner", next: "approve", onError: "plan", output: "idea" },
      approve: { type: "approval", onApprove: "checks", onReject: "plan", onTimeout: "check" },
      checks: {
        type: "parallel",
        steps: {
          unit: { type: "shell", command: ["npm", "test"] },
          review: { type: "agent", agent: "coder", input: "idea" },
        },
        next: "check",
      },
      check: { type: "condition", condition: "context.checks.success", then: "code", else: "plan" },
      code: { type: "agent", agent: "coder", input: "unit", next: "last" },
      last: { type: "transform", transform: "context.limits", input: "limits" },
    },
    { initialContext: { limits: { files: 3 } } },
  );
  expectTypeOf<
    Awaited<ReturnType<typeof built.run>["result"]>
  >().toEqualTypeOf<StepWorkflowResult>();

  // @ts-expect-error a route to a step that is not there
  begun.steps({ plan: { type: "agent", agent: "planner", next: "pln" } });
  // @ts-expect-error an agent that is not there
  begun.steps({ plan: { type: "agent", agent: "planer" } });
  // @ts-expect-error data that nobody has
  begun.steps({ plan: { type: "agent", agent: "planner", input: "limit" } });
  // @ts-expect-error a route that only approvals have
  begun.steps({ plan: { type: "agent", agent: "planner", onApprove: "plan" } });
  // @ts-expect-error a condition has no next
  begun.steps({ plan: { type: "condition", condition: "true", next: "plan" } });
  // @ts-expect-error a key of files
  begun.steps({ plan: { type: "agent", agent: "planner", on_error: "plan" } });
  // @ts-expect-error a type that nobody has
  begun.steps({ plan: { type: "agnt", agent: "planner" } });
  begun.steps({
    all: {
      type: "parallel",
      // @ts-expect-error a step inside of another one has no routes
      steps: { unit: { type: "shell", command: "npm test", next: "all" } },
    },
  });
  begun.steps({
    all: {
      type: "loop",
      // @ts-expect-error an agent that is not there, inside of a loop
      steps: { draft: { type: "agent", agent: "writer" } },
    },
  });
  // @ts-expect-error a route into a step
  begun.steps({ all: { type: "loop", steps: { draft: { type: "wait" } }, next: "draft" } });
  begun.steps({
    // @ts-expect-error a list to go through, and no step for its items
    all: { type: "parallel", forEach: "context.plan" },
    // @ts-expect-error a step for items, and no list
    each: { type: "parallel", step: { id: "unit", type: "wait" } },
  });
  // @ts-expect-error neither a way to decide nor a step
  begun.steps({ ask: { type: "approval", onTimeout: "aprove" } });
  // @ts-expect-error a function for an agent that is not there
  void (() => built.run("", { agents: { planer: () => "" } }));
  expect(Object.keys(built)).toContain("run");
});

test("step types of one's own are typed by their schema, and those of plug-ins are open [STP-1, SDK-2]", () => {
  const fetchPage = defineStepType({
    name: "fetch-page",
    settings: z.strictObject({ url: z.string() }),
    routes: ["missing"],
    execute: (_input, { settings }) => {
      expectTypeOf(settings).toEqualTypeOf<{ url: string }>();
      return { from: settings.url };
    },
    route: (step, { success }) => step.routes[success ? "next" : "missing"] ?? null,
  });
  const begun = workflow("pages").stepTypes(fetchPage, "slack");
  begun.steps({
    first: { type: "fetch-page", url: "http://127.0.0.1", next: "tell", missing: "tell" },
    tell: { type: "slack", channel: "#news" },
  });
  const writePage = defineStepType({
    name: "write-page",
    settings: z.strictObject({ file_name: z.string(), by: z.string().brand<"$agent">() }),
    execute: () => null,
  });
  const written = workflow("pages").agents(agents).stepTypes(writePage);
  written.steps({
    first: { type: "write-page", fileName: "a.html", by: "coder", next: "more" },
    more: {
      type: "loop",
      times: 2,
      steps: { again: { type: "write-page", fileName: "b.html", by: "planner" } },
    },
  });
  // @ts-expect-error an agent that is not there
  written.steps({ first: { type: "write-page", fileName: "a.html", by: "coda" } });
  written.steps({
    // @ts-expect-error a setting of another kind, inside of another step
    l: { type: "loop", steps: { a: { type: "write-page", fileName: 1, by: "coder" } } },
  });
  // @ts-expect-error its schema wants a url
  begun.steps({ first: { type: "fetch-page" } });
  // @ts-expect-error a route of its own to a step that is not there
  begun.steps({ first: { type: "fetch-page", url: "", missing: "tell" } });
  expect(begun).toBeDefined();
});

test("the settings of every step type are those of its schema in camelCase, with names of the workflow [SDK-2]", () => {
  const begun = workflow("feature").agents(agents);
  begun.steps({
    team: {
      type: "pattern",
      pattern: "dag",
      agents: ["planner"],
      steps: [{ id: "one", agent: "coder", dependsOn: ["go"], verify: [{ fileExists: "a" }] }],
      coordination: { barriers: [{ id: "go", waitFor: ["planner"], type: "any" }] },
      options: { maxConcurrency: 2 },
      errorHandling: { retryDelay: "1s", onFailure: "continue" },
    },
    child: { type: "workflow", file: "child.yaml", with: { pages: [1, { deep: null }] } },
    pages: {
      type: "parallel",
      forEach: "context.child",
      maxConcurrency: 2,
      step: { id: "page", type: "agent", agent: "workflow:page", outputSchema: { max_items: 3 } },
    },
    pause: { type: "wait", durationMs: 5, passEnv: ["HOME"] },
    ask: { type: "approval", onTimeout: "approve" },
  });
  // @ts-expect-error a setting of another kind
  begun.steps({ pause: { type: "wait", durationMs: "5" } });
  // @ts-expect-error a key of files
  begun.steps({ pause: { type: "wait", duration_ms: 5 } });
  // @ts-expect-error what is not optional
  begun.steps({ made: { type: "transform" } });
  // @ts-expect-error an agent that is not there, among those of a pattern
  begun.steps({ team: { type: "pattern", pattern: "dag", agents: ["planer"] } });
  const onFailure = "go on";
  // @ts-expect-error a word that a part of the settings does not have
  begun.steps({ team: { type: "pattern", pattern: "dag", errorHandling: { onFailure } } });
  expect(begun).toBeDefined();
});

test("pattern workflows know their steps, barriers and agents [SDK-2]", () => {
  const begun = workflow("build").agents(agents);
  const built = begun.pattern("dag", {
    steps: {
      design: { agent: "planner" },
      code: { agent: "coder", dependsOn: ["design", "ready"], fallback: ["planner"] },
    },
    coordination: { barriers: [{ id: "ready", waitFor: ["planner"] }] },
  });
  expectTypeOf(built.run).returns.toEqualTypeOf<WorkflowRun>();
  // @ts-expect-error a step that is not there
  begun.pattern("dag", { steps: { code: { agent: "coder", dependsOn: ["desing"] } } });
  // @ts-expect-error an agent that is not there
  begun.pattern("dag", { steps: { code: { agent: "coda" } } });
});
