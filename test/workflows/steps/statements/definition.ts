import { expect } from "vitest";
import { toStepType } from "../../../../src/app/workflow/plugins/to-step-type.ts";
import { loadStepTypes } from "../../../../src/programs/steps/registry.ts";
import { defineStepType } from "../../../../src/sdk/define-code.ts";
import { sourceWorkflows } from "../source-workflows.ts";
import { codesOf, definitionOf, fail, hang, run, runSteps } from "./source-run.ts";
import { statements } from "./statement.ts";

const builtInStepTypes = await loadStepTypes();

const END = { id: "end", type: "transform", transform: "1" };

/** What the source says of a workflow's file and its keys. */
export const definition = statements([
  {
    says: "a workflow is one JSON file",
    check: () => {
      for (const text of Object.values(sourceWorkflows)) expect(codesOf(text)).toEqual([]);
    },
  },
  {
    says: "a step is one call of its agent",
    check: async () => {
      const { given } = await run(sourceWorkflows["sequential"] ?? "");
      expect(given.map(([agent]) => agent)).toEqual(["planner", "coder", "tester"]);
    },
  },
  {
    says: "`id` names the workflow and has to be there",
    check: () => {
      expect(definitionOf({ id: "flow", steps: [END] }).name).toBe("flow");
      expect(codesOf({ steps: [END] })).toEqual(["WORKFLOW_MISSING_KEY"]);
    },
  },
  {
    says: "`description` is for people; the type demands it, half of the examples have none, so it may be missing",
    decidedBy: "WF-14",
    check: () => {
      expect(definitionOf({ id: "flow", description: "x", steps: [END] }).description).toBe("x");
      expect(definitionOf({ id: "flow", steps: [END] }).description).toBeUndefined();
    },
  },
  {
    says: "`max_iterations` is 100 if not said",
    check: async () => {
      expect(definitionOf({ id: "flow", steps: [END] }).maxIterations).toBe(100);
      const { path } = (await run({ id: "flow", steps: [{ ...END, next: "end" }] })).flow;
      expect(path).toHaveLength(100);
    },
  },
  {
    says: "`max_iterations: 3` lets exactly three steps run",
    check: async () => {
      const end = await run({ id: "flow", max_iterations: 3, steps: [{ ...END, next: "end" }] });
      expect(end).toMatchObject({
        outcome: "limit-reached",
        flow: { path: ["end", "end", "end"] },
      });
    },
  },
  {
    says: "`max_duration_ms` is five minutes if not said",
    check: async () => {
      const step = { id: "a", type: "agent", agent: "x", timeout_ms: 3_600_000 };
      const end = await runSteps([step], { agents: { x: hang } });
      expect(end).toMatchObject({ outcome: "limit-reached", tookMs: 300_000 });
    },
  },
  {
    says: "`max_duration_ms` says another time",
    check: async () => {
      const step = { id: "a", type: "agent", agent: "x", timeout_ms: 3_600_000 };
      const end = await run(
        { id: "f", max_duration_ms: 600_000, steps: [step] },
        { agents: { x: hang } },
      );
      expect(end).toMatchObject({ outcome: "limit-reached", tookMs: 600_000 });
    },
  },
  {
    says: "ten errors end a workflow; here `max_errors` may say another number",
    decidedBy: "STP-3",
    check: async () => {
      const steps = [{ id: "a", type: "agent", agent: "x", on_error: "a" }];
      const ten = await run({ id: "flow", steps }, { agents: { x: fail } });
      expect(ten).toMatchObject({ outcome: "limit-reached" });
      expect(ten.given).toHaveLength(10);
      const two = await run({ id: "flow", max_errors: 2, steps }, { agents: { x: fail } });
      expect(two.given).toHaveLength(2);
    },
  },
  {
    says: "`parallel` is false if not said: only the first step's way is followed",
    check: async () => {
      expect(definitionOf({ id: "flow", steps: [END] }).parallel).toBe(false);
      expect(codesOf({ id: "flow", steps: [END, { ...END, id: "b" }] })).toEqual([
        "WORKFLOW_UNREACHABLE_STEP",
      ]);
    },
  },
  {
    says: '"parallel by default" is for those who ask for it: `parallel: true` runs what no route leads to side by side',
    decidedBy: "STP-13",
    check: async () => {
      const steps = ["a", "b"].map((id) => ({ id, type: "agent", agent: id }));
      let begun = 0;
      const meet = async () => {
        begun += 1;
        while (begun < 2) await new Promise(setImmediate);
        return begun;
      };
      const end = await run({ id: "f", parallel: true, steps }, { agents: { a: meet, b: meet } });
      expect(end.flow.context).toEqual({ a: { result: "2" }, b: { result: "2" } });
    },
  },
  {
    says: "the optimizer groups steps without dependencies; a step that refers to another's data waits for it",
    decidedBy: "STP-13",
    check: async () => {
      const steps = [
        { id: "report", type: "transform", transform: "context.b.n" },
        { id: "b", type: "agent", agent: "b" },
      ];
      const answers = { agents: { b: () => ({ n: 7 }) } };
      const end = await run({ id: "f", parallel: true, steps }, answers);
      expect(end.flow.context).toMatchObject({ report: 7 });
    },
  },
  {
    says: "the first step of the list begins",
    check: async () => {
      const steps = [
        { ...END, id: "z", next: "a" },
        { ...END, id: "a" },
      ];
      expect((await runSteps(steps)).flow.path).toEqual(["z", "a"]);
    },
  },
  {
    says: "`initial_context` is there before the first step",
    check: async () => {
      const steps = [{ id: "a", type: "agent", agent: "x" }];
      const end = await run({ id: "f", initial_context: { style: { dark: true } }, steps });
      expect(end.given).toEqual([["x", { input: null, context: { style: { dark: true } } }]]);
    },
  },
  {
    says: "a workflow has steps",
    check: () => {
      expect(codesOf({ id: "flow", steps: [] })).toEqual(["WORKFLOW_SHAPE_UNKNOWN"]);
      expect(codesOf({ id: "flow", max_iterations: 3 })).toEqual(["WORKFLOW_SHAPE_UNKNOWN"]);
    },
  },
  {
    says: "every step has an `id` that no other has, not even one inside of another step",
    check: () => {
      expect(codesOf({ id: "f", steps: [{ type: "transform", transform: "1" }, END] })).toContain(
        "WORKFLOW_MISSING_KEY",
      );
      const around = { id: "p", type: "parallel", steps: [END], next: "end" };
      expect(codesOf({ id: "f", steps: [around, END] })).toContain("WORKFLOW_DUPLICATE_ID");
    },
  },
  {
    says: "`type` is one of agent, approval, parallel, condition, transform; what nothing can carry out is found at load",
    check: () => {
      const types = ["agent", "approval", "parallel", "condition", "transform"];
      const steps = [
        { id: "a", type: "agent", agent: "x", next: "b" },
        { id: "b", type: "approval", next: "c" },
        { id: "c", type: "parallel", steps: [END], next: "d" },
        { id: "d", type: "condition", condition: "true", then: "e" },
        { id: "e", type: "transform", transform: "1" },
      ];
      expect(definitionOf({ id: "f", steps }).steps.map(({ type }) => type)).toEqual(types);
      expect(codesOf({ id: "f", steps: [{ id: "a", type: "magic" }] })).toEqual([
        "WORKFLOW_UNKNOWN_STEP_TYPE",
      ]);
    },
  },
  {
    says: "keys that the source's interface leaves out and its examples use are there: message, on_approve, on_reject, input, output",
    check: () => {
      expect(codesOf(sourceWorkflows["complete"] ?? "")).toEqual([]);
      expect(codesOf(sourceWorkflows["references"] ?? "")).toEqual([]);
    },
  },
  {
    says: "a key that means nothing is an error",
    decidedBy: "WF-1",
    check: () => {
      expect(codesOf({ id: "f", steps: [{ ...END, on_eror: "end" }] })).toEqual([
        "WORKFLOW_UNKNOWN_KEY",
      ]);
    },
  },
  {
    says: "a workflow may be any steps put together: a parallel inside of a parallel",
    check: async () => {
      const inner = { id: "inner", type: "parallel", steps: [END] };
      const end = await runSteps([{ id: "outer", type: "parallel", steps: [inner] }]);
      expect(end.flow.context).toMatchObject({ end: 1, inner: [{ result: 1 }] });
    },
  },
  {
    says: "a new type of step is one thing with `execute` and `route`",
    decidedBy: "STP-17",
    check: async () => {
      const weigh = defineStepType({
        name: "weigh",
        routes: ["heavy"],
        execute: (given) => JSON.stringify(given["input"]).length,
        route: ({ routes }, { data }) => routes[Number(data) > 5 ? "heavy" : "next"] ?? null,
      });
      const steps = [
        { id: "a", type: "weigh", next: "end", heavy: "far" },
        END,
        { ...END, id: "far" },
      ];
      const stepTypes = [weigh];
      const load = { stepTypes: [...builtInStepTypes, ...stepTypes.map(toStepType)] };
      const light = await runSteps(steps, { load, stepTypes, input: "x" });
      expect(light.flow.path).toEqual(["a", "end"]);
      const heavy = await runSteps(steps, { load, stepTypes, input: "much more" });
      expect(heavy.flow.path).toEqual(["a", "far"]);
    },
  },
  {
    says: "a parallel may hold any type but those that decide where to go on",
    decidedBy: "STP-16",
    check: () => {
      const inside = (step: object) =>
        codesOf({ id: "f", steps: [{ id: "p", type: "parallel", steps: [step] }] });
      expect(inside({ id: "a", type: "approval" })).toEqual([]);
      expect(inside({ id: "a", type: "condition", condition: "true" })).toEqual([
        "WORKFLOW_STEP_NOT_NESTED",
      ]);
      expect(inside({ ...END, next: "p" })).toEqual(["WORKFLOW_NESTED_ROUTE"]);
    },
  },
]);
