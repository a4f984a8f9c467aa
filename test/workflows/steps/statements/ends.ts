import { expect } from "vitest";
import { defineGuard } from "../../../../src/sdk/define-code.ts";
import { sourceWorkflows } from "../source-workflows.ts";
import { fail, hang, run, runSteps } from "./source-run.ts";
import { statements } from "./statement.ts";

const agent = (id: string, more: object = {}) => ({ id, type: "agent", agent: id, ...more });
const circle = [agent("a", { next: "b" }), agent("b", { next: "a" })];

/** An agent that fails so many times first. */
function flaky(failures: number) {
  return (_input: unknown, { turn }: { readonly turn: number }) => {
    if (turn <= failures) throw new Error(`fail ${turn}`);
    return { turn };
  };
}

/** What the source says of guards, failures and how a run ends. */
export const ends = statements([
  {
    says: "the iteration guard ends a loop and says that the routing leads back",
    check: async () => {
      const end = await run({ id: "f", max_iterations: 10, steps: circle });
      expect(end.flow.path).toHaveLength(10);
      expect(end.reason).toContain("max_iterations");
      expect(end.reason).toContain("leads back");
    },
  },
  {
    says: "the duration guard looks between two steps in the sketch; here it also ends a step that hangs",
    decidedBy: "STP-3",
    check: async () => {
      const steps = [agent("a", { timeout_ms: 60_000 })];
      const end = await run({ id: "f", max_duration_ms: 5000, steps }, { agents: { a: hang } });
      expect(end).toMatchObject({ outcome: "limit-reached", tookMs: 5000 });
      expect(end.reason).toContain("5000 ms of max_duration_ms");
    },
  },
  {
    says: "the error guard ends a cascade of failures",
    check: async () => {
      const steps = [agent("a", { on_error: "b" }), agent("b", { on_error: "a" })];
      const end = await runSteps(steps, { agents: { a: fail, b: fail } });
      expect(end.given).toHaveLength(10);
      expect(end.reason).toContain("max_errors");
    },
  },
  {
    says: "a guard is an exception in the sketch; here the run ends as limit-reached, with the way that led there",
    decidedBy: "STP-3",
    check: async () => {
      const end = await run({ id: "f", max_iterations: 4, steps: circle });
      expect(end.outcome).toBe("limit-reached");
      expect(end.reason).toContain("a → b → a → b");
      expect(end.all("guard-tripped")).toMatchObject([
        { guard: "max_iterations", path: ["a", "b", "a", "b"] },
      ]);
    },
  },
  {
    says: "guards are asked before each step, so a run that ends with its last allowed step completes",
    check: async () => {
      const end = await run({ id: "f", max_iterations: 1, steps: [agent("a")] });
      expect(end.outcome).toBe("completed");
    },
  },
  {
    says: "steps inside of a parallel are no iterations",
    decidedBy: "STP-18",
    check: async () => {
      const inside = [agent("x"), agent("y"), agent("z")];
      const steps = [{ id: "p", type: "parallel", steps: inside, next: "a" }, agent("a")];
      expect((await run({ id: "f", max_iterations: 2, steps })).outcome).toBe("completed");
    },
  },
  {
    says: "a parallel that fails is one error, however many fail inside",
    decidedBy: "STP-18",
    check: async () => {
      const inside = [agent("x"), agent("y")];
      const steps = [{ id: "p", type: "parallel", steps: inside, next: "a" }, agent("a")];
      const agents = { x: fail, y: fail };
      const end = await run({ id: "f", max_errors: 2, steps }, { agents });
      expect(end.flow.path).toEqual(["p", "a"]);
    },
  },
  {
    says: "guards are a list that can be added to",
    decidedBy: "STP-17",
    check: async () => {
      const guard = defineGuard({
        name: "two-of-a",
        check: ({ history }) =>
          history.filter(({ stepId }) => stepId === "a").length < 2
            ? undefined
            : "a was there twice",
      });
      const code = { stepTypes: [], guards: [guard] };
      const end = await runSteps(circle, code);
      expect(end).toMatchObject({ outcome: "limit-reached", flow: { path: ["a", "b", "a"] } });
    },
  },
  {
    says: "a step that fails for good and leads nowhere is a success of the sketch's run; here the run has failed",
    decidedBy: "ENG-11",
    check: async () => {
      const steps = [agent("a", { next: "b" }), agent("b")];
      const end = await runSteps(steps, { agents: { b: fail } });
      expect(end).toMatchObject({ outcome: "failed", flow: { path: ["a", "b"] } });
    },
  },
  {
    says: "a failure is made good by a later success of the same step",
    decidedBy: "ENG-11",
    check: async () => {
      const steps = [agent("plan", { next: "code" }), agent("code", { on_error: "plan" })];
      const end = await runSteps(steps, { agents: { code: flaky(1) } });
      expect(end).toMatchObject({
        outcome: "completed",
        flow: { path: ["plan", "code", "plan", "code"] },
      });
    },
  },
  {
    says: "plan, code, test: each goes back one step when its attempts are used up",
    check: async () => {
      const agents = { coder: flaky(2), tester: flaky(3) };
      const end = await run(sourceWorkflows["sequential"] ?? "", { agents });
      expect(end.outcome).toBe("completed");
      expect(end.flow.path).toEqual(["plan", "code", "plan", "code", "test", "code", "test"]);
      expect(end.given.map(([id]) => id)).toEqual([
        ...["planner", "coder", "coder", "planner", "coder"],
        ...["tester", "tester", "tester", "coder", "tester"],
      ]);
    },
  },
  {
    says: "smart deploy: to deploy when the tests say success, else to who is told",
    check: async () => {
      const pathAfter = async (success: boolean) => {
        const agents = { tester: () => ({ success }) };
        return (await run(sourceWorkflows["conditional"] ?? "", { agents })).flow.path;
      };
      expect(await pathAfter(true)).toEqual(["test", "check-results", "deploy"]);
      expect(await pathAfter(false)).toEqual(["test", "check-results", "notify-failure"]);
    },
  },
  {
    says: "a flaky test: three attempts with 1 s and 2 s between, then `on_error`",
    check: async () => {
      const failures = sourceWorkflows["failures"] ?? "";
      const end = await run(failures, { agents: { tester: fail } });
      expect(end).toMatchObject({
        outcome: "completed",
        tookMs: 3000,
        flow: { path: ["flaky-test", "notify"] },
      });
    },
  },
  {
    says: "a slow task: after its 30 s, `on_error` skips it",
    check: async () => {
      const failures = sourceWorkflows["failures"] ?? "";
      const end = await run(failures, { agents: { analyzer: hang } });
      expect(end).toMatchObject({ outcome: "completed", tookMs: 30_000 });
      expect(end.flow.path).toEqual(["flaky-test", "slow-task", "skip"]);
    },
  },
  {
    says: "a step may run more than once, and each run of it counts",
    check: async () => {
      const end = await run({ id: "f", max_iterations: 3, steps: circle });
      expect(end.all("step-started").map(({ path, execution }) => `${path} ${execution}`)).toEqual([
        "a 1",
        "b 1",
        "a 2",
      ]);
    },
  },
]);
