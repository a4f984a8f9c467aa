import { expect } from "vitest";
import type { Json } from "../../../../src/foundation/json.ts";
import { codesOf, definitionOf, fail, hang, runSteps } from "./source-run.ts";
import { statements } from "./statement.ts";

const agent = (more: object) => ({ id: "a", type: "agent", agent: "x", ...more });
const value = (id: string, more: object = {}) => ({
  id,
  type: "transform",
  transform: "1",
  ...more,
});

/** What the source says of the keys of a step. */
export const stepKeys = statements([
  {
    says: "`agent` names who does it; the sketch throws when it is called, here an unknown one is found at load",
    decidedBy: "STP-12",
    check: () => {
      const workflow = {
        id: "f",
        agents: { planner: { backend: "script" } },
        steps: [agent({ agent: "planer" })],
      };
      const onlyDeclared = { codeAgents: { ids: new Set<string>(), isOpen: false } };
      expect(codesOf(workflow, onlyDeclared)).toContain("WORKFLOW_UNKNOWN_AGENT");
    },
  },
  {
    says: "`next` is gone to after success",
    check: async () => {
      const steps = [agent({ next: "b" }), value("b"), value("c", { next: "b" })];
      expect((await runSteps(steps.slice(0, 2))).flow.path).toEqual(["a", "b"]);
    },
  },
  {
    says: "without `next` the way ends, whatever comes next in the list",
    decidedBy: "STP-2",
    check: async () => {
      const steps = [
        { id: "c", type: "condition", condition: "true", then: "a", else: "b" },
        agent({}),
        value("b"),
      ];
      expect(await runSteps(steps)).toMatchObject({
        outcome: "completed",
        flow: { path: ["c", "a"] },
      });
    },
  },
  {
    says: "`on_error` is gone to after failure, and the run may complete",
    check: async () => {
      const end = await runSteps(
        [agent({ next: "b", on_error: "fix" }), value("b"), value("fix")],
        {
          agents: { x: fail },
        },
      );
      expect(end).toMatchObject({ outcome: "completed", flow: { path: ["a", "fix"] } });
    },
  },
  {
    says: "without `on_error` a failure ends the way; the sketch calls that success, here the run has failed",
    decidedBy: "ENG-11",
    check: async () => {
      const end = await runSteps([agent({ next: "b" }), value("b")], { agents: { x: fail } });
      expect(end).toMatchObject({ outcome: "failed", flow: { path: ["a"] } });
      expect(end.reason).toContain("no luck");
    },
  },
  {
    says: "a route to a step that does not exist ends the sketch's run in silence; here it is found at load",
    decidedBy: "WF-2",
    check: () => {
      for (const key of ["next", "on_error"])
        expect(codesOf({ id: "f", steps: [agent({ [key]: "nowhere" })] })).toEqual([
          "WORKFLOW_UNKNOWN_STEP",
        ]);
    },
  },
  {
    says: "`max_retries` is 1 if not said, and that is one attempt",
    decidedBy: "STP-4",
    check: async () => {
      expect((await runSteps([agent({})], { agents: { x: fail } })).given).toHaveLength(1);
      expect(
        (await runSteps([agent({ max_retries: 1 })], { agents: { x: fail } })).given,
      ).toHaveLength(1);
    },
  },
  {
    says: "`max_retries: 3` is three attempts, as the source's own test counts them: two fail, the third succeeds",
    decidedBy: "STP-4",
    check: async () => {
      const x = (_input: unknown, { turn }: { readonly turn: number }) => {
        if (turn < 3) throw new Error(`fail ${turn}`);
        return { output: "success" };
      };
      const end = await runSteps([agent({ max_retries: 3 })], { agents: { x } });
      expect(end).toMatchObject({ outcome: "completed", flow: { output: { output: "success" } } });
      expect(end.given).toHaveLength(3);
    },
  },
  {
    says: "`max_retries: 0` means what 1 means, as `step.max_retries || 1` has it",
    decidedBy: "STP-4",
    check: async () => {
      expect(
        (await runSteps([agent({ max_retries: 0 })], { agents: { x: fail } })).given,
      ).toHaveLength(1);
    },
  },
  {
    says: "when all attempts are used up, the last error is the step's",
    check: async () => {
      const x = (_input: unknown, { turn }: { readonly turn: number }) => {
        throw new Error(`fail ${turn}`);
      };
      const end = await runSteps([agent({ max_retries: 2 })], { agents: { x } });
      expect(end.reason).toContain("fail 2");
    },
  },
  {
    says: "`retry_delay_ms` is 0 if not said",
    check: async () => {
      const end = await runSteps([agent({ max_retries: 3 })], { agents: { x: fail } });
      expect(end).toMatchObject({ tookMs: 0 });
      expect(end.given).toHaveLength(3);
    },
  },
  {
    says: "`retry_delay_ms` doubles with each attempt: 1 s, 2 s, 4 s",
    check: async () => {
      const end = await runSteps([agent({ max_retries: 4, retry_delay_ms: 1000 })], {
        agents: { x: fail },
      });
      expect(end.all("step-retrying").map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 4000]);
      expect(end.tookMs).toBe(7000);
    },
  },
  {
    says: "`timeout_ms` of an agent is 60,000 if not said",
    check: async () => {
      const end = await runSteps([agent({})], { agents: { x: hang } });
      expect(end).toMatchObject({ outcome: "failed", tookMs: 60_000 });
    },
  },
  {
    says: "the default of `timeout_ms` is for what works, so not for an approval, which would be over in a minute",
    decidedBy: "STP-15",
    check: () => {
      const timeouts = [
        agent({}),
        { id: "a", type: "shell", command: ["true"] },
        { id: "a", type: "approval" },
        { id: "a", type: "parallel", steps: [value("b")] },
        { id: "a", type: "condition", condition: "true" },
        value("a"),
      ].map((step) => definitionOf({ id: "f", steps: [step] }).steps[0]?.timeoutMs);
      expect(timeouts).toEqual([60_000, 60_000, undefined, undefined, undefined, undefined]);
    },
  },
  {
    says: "`timeout_ms` is for one attempt",
    check: async () => {
      const end = await runSteps([agent({ timeout_ms: 2000, max_retries: 3 })], {
        agents: { x: hang },
      });
      expect(end).toMatchObject({ outcome: "failed", tookMs: 6000 });
      expect(end.given).toHaveLength(3);
    },
  },
  {
    says: "the sketch never looks at `timeout_ms`; here the work really ends",
    decidedBy: "STP-4",
    check: async () => {
      let isAborted = false;
      const x = (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            isAborted = true;
            reject(signal.reason);
          }),
        );
      await runSteps([agent({ timeout_ms: 2000 })], { agents: { x } });
      expect(isAborted).toBe(true);
    },
  },
  {
    says: "`input` names a step, whose data the agent is given under that name",
    check: async () => {
      const end = await runSteps([value("plan", { next: "a" }), agent({ input: "plan" })], {
        input: "go",
      });
      expect(end.given).toEqual([["x", { input: "go", context: { plan: 1 }, plan: 1 }]]);
    },
  },
  {
    says: "`input` may name what a step keeps by `output`",
    check: async () => {
      const end = await runSteps([
        value("extract", { output: "files", next: "a" }),
        agent({ input: "files" }),
      ]);
      expect(end.given[0]?.[1]).toMatchObject({ files: 1 });
    },
  },
  {
    says: "an `input` that has no data is left out by the sketch; here the step fails and says so",
    decidedBy: "STP-16",
    check: async () => {
      const plan = { id: "plan", type: "agent", agent: "planner", next: "a", on_error: "a" };
      const end = await runSteps([plan, agent({ input: "plan" })], { agents: { planner: fail } });
      expect(end).toMatchObject({ outcome: "failed" });
      expect(end.all("step-failed").at(-1)?.error.code).toBe("STEP_INPUT_MISSING");
      expect(end.given.map(([id]) => id)).toEqual(["planner"]);
    },
  },
  {
    says: "`output` is a further name of the step's data",
    check: async () => {
      const { context } = (await runSteps([value("extract", { output: "files" })])).flow;
      expect(context).toEqual({ extract: 1, files: 1 } satisfies { readonly [name: string]: Json });
    },
  },
  {
    says: "input, context and errors have meanings of their own, so no step has these names",
    decidedBy: "STP-5",
    check: () => {
      for (const id of ["input", "context", "errors"])
        expect(codesOf({ id: "f", steps: [value(id)] })).toEqual(["WORKFLOW_RESERVED_STEP_ID"]);
    },
  },
]);
