import fc from "fast-check";
import type { Json } from "../../../../src/foundation/json.ts";
import type {
  TestFlowStep,
  TestStepWorkflow,
} from "../../../../src/testing/run-workflow-in-memory.ts";
import { growsTooMuch } from "./flow-oracle.ts";

/** A generated workflow and what it is run with. */
export interface FlowCase {
  readonly workflow: TestStepWorkflow;
  readonly input: Json;
  readonly approvals: "all" | "none";
}

const INPUT = { list: [1, 2, 3], flag: true };
const AGENTS = [
  { id: "alpha", backend: "function" },
  { id: "toString", backend: "function" },
] as const;

/** Random graphs, cycles included; every way that a step can fail, go on and be handled. */
export const cyclicCases: fc.Arbitrary<FlowCase> = fc
  .record({
    count: fc.noBias(fc.integer({ min: 1, max: 6 })),
    maxIterations: fc.noBias(fc.integer({ min: 4, max: 20 })),
    maxErrors: fc.noBias(fc.integer({ min: 2, max: 9 })),
    approvals: fc.constantFrom("all" as const, "none" as const),
  })
  .chain(({ count, approvals, ...guards }) => {
    const ids = idsOf(count);
    return fc.tuple(...ids.map((id) => topStep(id, ids, ids))).map((steps) => ({
      workflow: {
        ...guards,
        agents: AGENTS,
        initialContext: { given: { list: [4], n: 2 } },
        steps,
      },
      input: INPUT,
      approvals,
    }));
  })
  .filter((given) => !growsTooMuch(given));

/** Graphs of side by side paths: every step has at most one way in, and looks at steps before it in the file. */
export const parallelCases: fc.Arbitrary<FlowCase> = fc
  .record({
    count: fc.integer({ min: 2, max: 7 }),
    parents: fc.array(fc.option(fc.nat()), { minLength: 7, maxLength: 7 }),
    maxConcurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  })
  .chain(({ count, parents, maxConcurrency }) => {
    const ids = idsOf(count);
    return fc
      .tuple(...ids.map((id, index) => quietStep(id, ["given", ...ids.slice(0, index)])))
      .map((steps) => ({
        workflow: {
          parallel: true,
          ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
          agents: AGENTS,
          initialContext: { given: { list: [4], n: 2 } },
          steps: withParents(steps, parents),
        },
        input: INPUT,
        approvals: "all" as const,
      }));
  });

/** Ids that every object knows are as good as others. */
function idsOf(count: number): readonly string[] {
  return ["constructor", "s1", "s-2", "valueOf", "s4", "s5", "s6"].slice(0, count);
}

/** Each step is the `next` of one that stands before it, or begins a path. */
function withParents(
  steps: readonly TestFlowStep[],
  parents: readonly (number | null)[],
): readonly TestFlowStep[] {
  const nexts = new Map<number, string>();
  for (const [index, { id }] of steps.entries()) {
    const given = parents[index] ?? null;
    const parent = given === null || index === 0 ? undefined : given % index;
    if (parent !== undefined && !nexts.has(parent)) nexts.set(parent, id);
  }
  return steps.map((step, index) => {
    const next = nexts.get(index);
    if (next === undefined) return step;
    const key = step.type === "condition" ? "then" : "next";
    return { ...step, routes: { [key]: next } };
  });
}

function topStep(
  id: string,
  ids: readonly string[],
  names: readonly string[],
): fc.Arbitrary<TestFlowStep> {
  const known = [...names, `${id}-x`, "given", "alias"];
  const target = fc.constantFrom(...ids);
  const routes = (keys: readonly string[]) =>
    fc
      .tuple(...keys.map((key) => fc.tuple(fc.constant(key), fc.option(target, { freq: 3 }))))
      .map((pairs) =>
        Object.fromEntries(pairs.flatMap(([key, to]) => (to === null ? [] : [[key, to] as const]))),
      );
  const routed = (step: fc.Arbitrary<TestFlowStep>, keys: readonly string[]) =>
    fc.tuple(step, routes(keys)).map(([given, found]) => ({ ...given, routes: found }));
  const plain = ["next", "on_error"];
  return fc.oneof(
    { weight: 3, arbitrary: routed(agentOrTransform(id, known), plain) },
    { weight: 2, arbitrary: routed(condition(id, known), ["then", "else", "on_error"]) },
    { weight: 1, arbitrary: routed(approval(id, known), ["next", "on_approve", "on_reject"]) },
    { weight: 2, arbitrary: routed(parallel(id, known), plain) },
    { weight: 1, arbitrary: routed(forEach(id, known), plain) },
    { weight: 1, arbitrary: routed(loop(id, known), plain) },
  );
}

/** A step that comes to the same whenever it runs, as long as what it names has run. */
function quietStep(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  return fc.oneof(
    transform(id, names),
    condition(id, names),
    children(id, names).map((steps) => ({ id, type: "parallel", steps })),
  );
}

function children(id: string, names: readonly string[]): fc.Arbitrary<readonly TestFlowStep[]> {
  return fc.tuple(transform(`${id}-x`, names), transform(`${id}-y`, names));
}

function agentOrTransform(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  return fc.oneof(agent(id, names), transform(id, names));
}

/** What all steps may have beside their own settings. */
function common(names: readonly string[]): fc.Arbitrary<Partial<TestFlowStep>> {
  return fc
    .record({
      when: sometimes(conditions(names), 6),
      input: sometimes(fc.constantFrom(...names), 8),
      maxAttempts: fc.constantFrom(1, 1, 2, 3),
      output: sometimes(fc.constant("alias"), 6),
    })
    .map(({ when, input, output, maxAttempts }) => ({
      maxAttempts,
      ...(when === null ? {} : { when }),
      ...(input === null ? {} : { input }),
      ...(output === null ? {} : { output }),
    }));
}

/** One time in so many; else null. */
function sometimes<Value>(
  arbitrary: fc.Arbitrary<Value>,
  times: number,
): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

function agent(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  return fc
    .tuple(fc.constantFrom("alpha", "toString"), common(names))
    .map(([name, more]) => ({ id, type: "agent", settings: { agent: name }, ...more }));
}

function transform(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  return fc
    .tuple(values(names), common(names))
    .map(([text, more]) => ({ id, type: "transform", settings: { transform: text }, ...more }));
}

function condition(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  return fc
    .tuple(conditions(names), common(names))
    .map(([text, more]) => ({ id, type: "condition", settings: { condition: text }, ...more }));
}

function approval(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  return common(names).map((more) => ({ id, type: "approval", ...more }));
}

function parallel(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  const inner = (child: string) =>
    fc.oneof(
      { weight: 4, arbitrary: agentOrTransform(child, names) },
      {
        weight: 1,
        arbitrary: agentOrTransform(`${child}-z`, names).map((step) => ({
          id: child,
          type: "parallel",
          steps: [step],
        })),
      },
    );
  return fc
    .tuple(
      inner(`${id}-x`),
      inner(`${id}-y`),
      fc.option(fc.integer({ min: 0, max: 2 })),
      common(names),
    )
    .map(([first, second, least, more]) => ({
      id,
      type: "parallel",
      settings: least === null ? {} : { min_success: least },
      steps: [first, second],
      ...more,
    }));
}

function forEach(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  const lists = fc.oneof(
    fc.constantFrom("input.list", "[1, 2]", "[]"),
    fc.constantFrom(...names).map((name) => `context.${name}.list`),
  );
  return fc
    .record({
      step: agentOrTransform(`${id}-x`, names),
      for_each: lists,
      max_concurrency: fc.constantFrom(1, 2, 8),
      min_success: fc.constantFrom(undefined, 0, 1),
      more: common(names),
    })
    .map(({ step, for_each, max_concurrency, min_success, more }) => ({
      id,
      type: "parallel",
      settings: {
        for_each,
        max_concurrency,
        ...(min_success === undefined ? {} : { min_success }),
      },
      steps: [step],
      ...more,
    }));
}

function loop(id: string, names: readonly string[]): fc.Arbitrary<TestFlowStep> {
  const own = [...names, `${id}-x`, `${id}-y`];
  const ends = fc.oneof(
    fc.integer({ min: 1, max: 3 }).map((times) => ({ times })),
    conditions(own).map((until) => ({ until, max_iterations: 3 })),
  );
  return fc
    .tuple(agentOrTransform(`${id}-x`, own), agentOrTransform(`${id}-y`, own), ends, common(names))
    .map(([first, second, settings, more]) => ({
      id,
      type: "loop",
      settings,
      steps: [first, second],
      ...more,
    }));
}

function conditions(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("true", "input.flag", "false") },
    { weight: 1, arbitrary: name.map((of) => `context.${of}.success === true`) },
    { weight: 1, arbitrary: name.map((of) => `context.${of}.success === false`) },
    { weight: 1, arbitrary: name.map((of) => `exists(context.${of})`) },
    { weight: 1, arbitrary: name.map((of) => `exists(errors.${of})`) },
    { weight: 1, arbitrary: name.map((of) => `context.${of}.n >= 3`) },
  );
}

function values(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("1", "input.list", "[1, 2]") },
    { weight: 1, arbitrary: name.map((of) => `context.${of}`) },
    { weight: 1, arbitrary: name.map((of) => `context.${of}.n`) },
  );
}
