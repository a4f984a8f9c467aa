import * as fc from "fast-check";
import type { Json } from "../../../src/foundation/json.ts";

/** Any JSON without the keys that no file may have. */
const anyJson = fc
  .json()
  .filter((text) => !/"(?:__proto__|constructor|prototype)":/.test(text))
  .map((text): Json => JSON.parse(text));

const text = fc.oneof(
  fc.string(),
  fc.constantFrom("a\nb", "`${x}`\n", "# no\n", "\\{{", "null", "12"),
);
const plainText = text.map((value) => value.replaceAll("{", "(").replace(/[^\n\t\x20-\x7e]/g, "?"));
const some = <Members extends object>(
  members: {
    [key in keyof Members]: fc.Arbitrary<Members[key]>;
  },
) => fc.record(members, { requiredKeys: [] });

const common = some({
  description: plainText,
  when: fc.constant("exists(input)"),
  max_attempts: fc.integer({ min: 1, max: 5 }),
  retry_delay_ms: fc.integer({ min: 0, max: 100 }),
  timeout_ms: fc.integer({ min: 1, max: 1000 }),
  budget: fc.constant({ tokens: 5, wall_clock: "10m" }),
  verify: fc.constant([{ output_matches: "x" }, { command: ["true"], expect_exit: 0 }]),
});
const settings = fc.oneof(
  fc.record({
    type: fc.constant("agent"),
    agent: fc.constantFrom("ann", "bob"),
    prompt: plainText,
    output_schema: fc.constant({ type: "object", properties: { max_files: { type: "number" } } }),
  }),
  fc.record({
    type: fc.constant("shell"),
    command: fc.array(plainText).map((more) => ["run", ...more]),
    env: fc.dictionary(fc.constantFrom("A_B", "Cd"), plainText),
  }),
  fc.record({ type: fc.constant("transform"), transform: fc.constantFrom("input", '"x"') }),
  fc.record({ type: fc.constant("wait"), duration_ms: fc.integer({ min: 0, max: 10 }) }),
);
const inner = fc.tuple(common, settings).map(([left, right]) => ({ ...left, ...right }));
const step = fc.oneof(
  inner,
  fc.tuple(common, inner, inner).map(([left, one, two]) => ({
    ...left,
    type: "parallel",
    steps: [one, two],
    max_concurrency: 2,
  })),
  fc
    .tuple(common, inner)
    .map(([left, one]) => ({ ...left, type: "parallel", for_each: "[1]", step: one })),
  fc.tuple(common, inner).map(([left, one]) => ({ ...left, type: "loop", times: 2, steps: [one] })),
);
/** Contents of valid step workflows. */
export const randomFlow = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    agents: fc.constantFrom<Json>(
      { ann: { system_prompt: "be\nkind", env: { MAX_X: "1" } }, bob: { permission_mode: "plan" } },
      [{ id: "ann" }, { id: "bob", constraints: { read_only: ["a_b"] } }],
    ),
    head: some({
      description: plainText,
      max_iterations: fc.integer({ min: 1, max: 9 }),
      initial_context: fc.dictionary(fc.constantFrom("max_files", "x"), anyJson),
      "x-note": anyJson,
    }),
  })
  .map(({ steps, agents, head }) => ({ id: "random", ...head, agents, steps: named(steps) }));

/** Gives every step an id and lets each go on with the next. */
function named(steps: readonly object[], prefix = "step"): readonly object[] {
  return steps.map((given, index) => {
    const id = `${prefix}${index}`;
    const isLast = index === steps.length - 1;
    const next = prefix !== "step" || isLast ? {} : { next: `${prefix}${index + 1}` };
    const nested =
      "steps" in given && Array.isArray(given.steps) ? { steps: named(given.steps, `${id}-`) } : {};
    const one = "step" in given ? { step: { id: `${id}-one`, ...Object(given.step) } } : {};
    return { id, ...given, ...next, ...nested, ...one };
  });
}
