import { expect } from "vitest";
import { sourceWorkflows } from "../source-workflows.ts";
import { codesOf, fail, run, runSteps } from "./source-run.ts";
import { statements } from "./statement.ts";

const agent = (id: string, more: object = {}) => ({ id, type: "agent", agent: id, ...more });
const tests = (more: object = {}) => ({
  ...{ id: "parallel-tests", type: "parallel", steps: [agent("unit"), agent("integration")] },
  ...more,
});
const after = { id: "after", type: "agent", agent: "after" };
const red = { agents: { unit: fail } };
const counts = {
  agents: {
    unit: () => ({ passed: 50, failed: 0 }),
    integration: () => ({ passed: 20, failed: 1 }),
  },
};

/** What the source says of parallel steps. */
export const sideBySide = statements([
  {
    says: "the steps inside run at the same time",
    check: async () => {
      let begun = 0;
      const meet = async () => {
        begun += 1;
        while (begun < 2) await new Promise(setImmediate);
      };
      const end = await runSteps([tests()], { agents: { unit: meet, integration: meet } });
      expect(end.outcome).toBe("completed");
    },
  },
  {
    says: "the data is a list of what each of them came to, in the order of the file",
    check: async () => {
      const end = await runSteps([tests()], {
        agents: {
          unit: async () => {
            await new Promise(setImmediate);
            return 1;
          },
        },
      });
      expect(end.flow.context["parallel-tests"]).toMatchObject([
        { stepId: "unit", status: "fulfilled" },
        { stepId: "integration", status: "fulfilled" },
      ]);
    },
  },
  {
    says: "`result` is the whole record in the sketch and the step's data in the examples: the data",
    decidedBy: "STP-16",
    check: async () => {
      const end = await runSteps([tests()], counts);
      expect(end.flow.context["parallel-tests"]).toMatchObject([
        { stepId: "unit", result: { passed: 50, failed: 0 }, error: null },
        { stepId: "integration", result: { passed: 20, failed: 1 }, error: null },
      ]);
    },
  },
  {
    says: "a step inside that fails does not stop the others: all settle",
    check: async () => {
      const end = await runSteps([tests()], red);
      expect(end.given.map(([id]) => id).toSorted()).toEqual(["integration", "unit"]);
      expect(end.flow.context["parallel-tests"]).toMatchObject([
        { stepId: "unit", status: "rejected", success: false, result: null },
        { stepId: "integration", status: "fulfilled", success: true },
      ]);
    },
  },
  {
    says: "steps never reject in the sketch, so that its parallel always succeeds; here it succeeds when all of them did",
    decidedBy: "STP-7",
    check: async () => {
      const check = { id: "check", type: "transform", transform: "context.parallel-tests.success" };
      const green = await runSteps([tests({ next: "check" }), check]);
      const failing = await runSteps([tests({ next: "check" }), check], red);
      expect([green.flow.output, failing.flow.output]).toEqual([true, false]);
    },
  },
  {
    says: "the text lets the report run after a failure, the sketch ends there: without `on_error`, `next` is gone to",
    decidedBy: "STP-7",
    check: async () => {
      const end = await runSteps([tests({ next: "after" }), after], red);
      expect(end.flow.path).toEqual(["parallel-tests", "after"]);
    },
  },
  {
    says: "that the report ran does not make the failure good: the run has failed",
    decidedBy: "ENG-11",
    check: async () => {
      const end = await runSteps([tests({ next: "after" }), after], red);
      expect(end.outcome).toBe("failed");
      expect(end.reason).toContain("no luck");
    },
  },
  {
    says: "a failed parallel goes to `on_error` where it has one, and that takes care of it",
    check: async () => {
      const end = await runSteps([tests({ on_error: "after" }), after], red);
      expect(end).toMatchObject({
        outcome: "completed",
        flow: { path: ["parallel-tests", "after"] },
      });
    },
  },
  {
    says: "all of them get the same context, and none sees another's result",
    check: async () => {
      const end = await runSteps([agent("code", { next: "parallel-tests" }), tests()], {
        input: "x",
      });
      const [, ...inside] = end.given.map(([, input]) => input);
      expect(inside).toEqual(
        [1, 2].map(() => ({ input: "x", context: { code: { result: "code" } } })),
      );
    },
  },
  {
    says: "the next step sees the results of all of them",
    check: async () => {
      const end = await runSteps([tests({ next: "after" }), after], counts);
      expect(end.given.at(-1)?.[1]).toMatchObject({
        context: { "parallel-tests": [{ stepId: "unit" }, { stepId: "integration" }] },
      });
    },
  },
  {
    says: "it also sees them under their own ids",
    decidedBy: "STP-7",
    check: async () => {
      const end = await runSteps([tests()], counts);
      expect(end.flow.context).toMatchObject({ unit: { passed: 50 }, integration: { passed: 20 } });
    },
  },
  {
    says: "an example has the list under `data` and `success` beside it: both can be asked for",
    decidedBy: "STP-16",
    check: async () => {
      const steps = [
        "context.parallel-tests.data[1].result.passed",
        'context["parallel-tests"].success',
      ].map((transform, index, all) => ({
        ...{ id: `t${index}`, type: "transform", transform },
        ...(index === all.length - 1 ? {} : { next: `t${index + 1}` }),
      }));
      const end = await runSteps([tests({ next: "t0" }), ...steps], counts);
      expect(end.flow.context).toMatchObject({ t0: 20, t1: true });
    },
  },
  {
    says: "a parallel of two has data of length two",
    check: async () => {
      const end = await runSteps([tests()], counts);
      expect(end.outcome).toBe("completed");
      expect(end.flow.context["parallel-tests"]).toHaveLength(2);
    },
  },
  {
    says: "three kinds of tests at once, then the report",
    check: async () => {
      const end = await run(sourceWorkflows["parallel"] ?? "");
      expect(end).toMatchObject({
        outcome: "completed",
        flow: { path: ["parallel-tests", "report"] },
      });
      expect(end.given.at(-1)?.[0]).toBe("reporter");
    },
  },
  {
    says: "steps inside may have attempts of their own",
    check: async () => {
      const unit = (_input: unknown, { turn }: { readonly turn: number }) => {
        if (turn < 2) throw new Error("flaky");
        return "green";
      };
      const steps = [{ ...tests(), steps: [agent("unit", { max_retries: 2 })] }];
      expect((await runSteps(steps, { agents: { unit } })).outcome).toBe("completed");
    },
  },
  {
    says: "a parallel without steps is found at load",
    check: () => {
      expect(codesOf({ id: "f", steps: [{ id: "p", type: "parallel" }] })).toEqual([
        "WORKFLOW_VALUE",
      ]);
    },
  },
]);
