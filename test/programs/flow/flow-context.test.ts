import fc from "fast-check";
import { expect, test } from "vitest";
import type { StepRecord } from "../../../src/contracts/step-context.ts";
import type { FlowContext } from "../../../src/programs/flow/flow-context.ts";
import { done, failed, startOf } from "./step-records.ts";

const NAMES = ["plan", "code", "test", "constructor", "toString", "hasOwnProperty"];

const records: fc.Arbitrary<StepRecord> = fc
  .record({
    id: fc.constantFrom(...NAMES),
    data: fc.jsonValue({ maxDepth: 2 }),
    hasFailed: fc.boolean(),
    output: fc.constantFrom(undefined, "files", "valueOf"),
  })
  .map(({ id, data, hasFailed, output }) => {
    const more = output === undefined ? {} : { output };
    const json = JSON.parse(JSON.stringify(data));
    return hasFailed ? failed(id, more) : done(id, json, more);
  });

/** Everything that can be seen of a context, as text. */
function sightOf(context: FlowContext): string {
  return JSON.stringify({
    data: context.toData(),
    errors: context.toErrors(),
    results: [...context.results],
    history: context.history,
    metadata: { ...context.metadata, previousSteps: context.metadata.previousSteps },
    fingerprint: context.fingerprint,
  });
}

test("a context never changes, however many others are made of it, and in whatever branches [STP-5]", () => {
  const branches = fc.array(fc.tuple(fc.nat(), records), { maxLength: 15 });
  fc.assert(
    fc.property(branches, (additions) => {
      const contexts = [startOf({ given: { a: 1 } })];
      const sights = contexts.map(sightOf);
      for (const [from, record] of additions) {
        const base = contexts[from % contexts.length] ?? startOf();
        const next = base
          .addResult(record)
          .withIteration()
          .withStep(record.stepId, !record.success);
        contexts.push(next);
        sights.push(sightOf(next));
      }
      expect(contexts.map(sightOf)).toEqual(sights);
    }),
    { numRuns: 50 },
  );
});

test("a context holds what a plain map of the same records would, in the order in which it learned the names [STP-5]", () => {
  fc.assert(
    fc.property(
      fc.array(records, { maxLength: 15 }),
      fc.array(records, { maxLength: 5 }),
      (given, elsewhere) => {
        const start = startOf({ given: 1 });
        // Names that only another branch knows must not show, and must not change the order here.
        for (const record of elsewhere) start.addResult(record);
        const context = given.reduce((before, record) => before.addResult(record), start);
        const data = new Map<string, unknown>([["given", 1]]);
        const latest = new Map<string, StepRecord>();
        const errors = new Map<string, unknown>();
        for (const record of given) {
          latest.set(record.stepId, record);
          for (const name of new Set([record.stepId, record.output ?? record.stepId]))
            data.set(name, record.success ? record.data : undefined);
          const { error } = record;
          if (error !== undefined)
            errors.set(record.stepId, { code: error.code, message: error.message });
        }
        const known = [...data].filter(([, value]) => value !== undefined);
        expect(Object.entries(context.toData())).toEqual(known);
        expect(context.toErrors()).toEqual(Object.fromEntries(errors));
        expect([...context.results]).toEqual([...latest]);
        expect(context.history).toEqual(given);
        for (const name of [...NAMES, "given", "files", "valueOf", "never"])
          expect(context.dataOf(name)).toEqual(data.get(name));
      },
    ),
    { numRuns: 100 },
  );
});

test("a step that fails takes its data out of the context, one that fails with data keeps it there [STP-5, STP-7]", () => {
  const first = startOf().addResult(done("plan", { a: 1 }));
  const second = first.addResult(failed("plan"));
  const third = second.addResult(failed("plan", { data: [1] }));
  expect([first, second, third].map((context) => context.toData())).toEqual([
    { plan: { a: 1 } },
    {},
    { plan: [1] },
  ]);
  expect(second.getResult("plan")?.success).toBe(false);
  expect(startOf({ plan: 1 }).addResult(failed("plan")).toData()).toEqual({});
  const recovered = third.addResult(done("plan", 2));
  expect(recovered.errorOf("plan")).toEqual({ code: "TEST_FAILED", message: "plan failed" });
  expect(recovered.history).toHaveLength(4);
});

test("data is found under the step's id and under its output name, the results know only ids [STP-5, STP-9]", () => {
  const context = startOf().addResult(done("extract", ["a.ts"], { output: "files" }));
  expect(context.toData()).toEqual({ extract: ["a.ts"], files: ["a.ts"] });
  expect([...context.results.keys()]).toEqual(["extract"]);
  expect(context.getResult("files")).toEqual(context.getResult("extract"));
});

test("what steps inside of another came to precedes it in the history and is found by id [STP-7]", () => {
  const inner = [done("unit", 1), failed("lint")];
  const context = startOf().addResult(failed("tests", { data: [1, null], inner }));
  expect(context.history.map(({ stepId }) => stepId)).toEqual(["unit", "lint", "tests"]);
  expect(context.toData()).toEqual({ unit: 1, tests: [1, null] });
  expect(context.metadata.currentStep).toBe("tests");
});

test("nobody who gets data of a context can change it [STP-5]", () => {
  const data = { list: [{ deep: 1 }] };
  const context = startOf({ given: { a: [1] } }, { task: { b: 1 } }).addResult(done("plan", data));
  expect(() => data.list.push({ deep: 2 })).toThrow(TypeError);
  expect(() => Object.assign(data.list[0] ?? {}, { deep: 2 })).toThrow(TypeError);
  for (const value of [context.input, context.dataOf("given"), context.getResult("plan")])
    expect(Object.isFrozen(value)).toBe(true);
});

test("a skipped step leaves the context as it was [STP-2]", () => {
  const before = startOf().addResult(done("plan", 1));
  const after = before.addResult(done("code", null, { isSkipped: true }));
  expect(sightOf(after)).toBe(sightOf(before));
});

test("the fingerprint depends on all that was recorded, and not on when [STP-5, ENG-15]", () => {
  const of = (...given: StepRecord[]) =>
    given.reduce((context, record) => context.addResult(record), startOf()).fingerprint;
  const base = of(done("plan", { a: 1, b: 2 }));
  const later = { startTime: "2027-01-01T00:00:00.000Z", durationMs: 7 };
  expect(of(done("plan", { b: 2, a: 1 }, later))).toBe(base);
  const others = [
    of(done("plan", { a: 1 })),
    of(done("plan", { a: 1, b: 2 }), done("plan", { a: 1, b: 2 })),
    of(done("plan", { a: 1, b: 2 }, { output: "c" })),
    of(failed("plan", { data: { a: 1, b: 2 } })),
    of(failed("plan", { data: { a: 1, b: 2 }, code: "OTHER" })),
    startOf({}, "other").addResult(done("plan", { a: 1, b: 2 })).fingerprint,
    startOf({ plan: 1 }).fingerprint,
  ];
  expect(new Set([base, ...others]).size).toBe(others.length + 1);
});
