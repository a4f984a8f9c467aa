import { describe, expect, test } from "vitest";
import { loadStepTypes } from "../../src/programs/steps/registry.ts";
import { load } from "./load-options.ts";
import { loadSteps } from "./steps/load-steps.ts";

const stepTypes = await loadStepTypes();
const pattern = (own: string) =>
  load(`name: w\npattern: dag\nagents: [{ id: a }]\nsteps: [{ id: s, agent: a, ${own} }]\n`);
const steps = (own: string) =>
  loadSteps(`id: w\nsteps: [{ id: s, type: shell, command: ["true"], ${own} }]\n`, { stepTypes });

/** What a hint says to write in place of what: `KEY: VALUE is KEY: VALUE here`. */
const SHOWN = /: (\S+: \S+?)(?: of a \w+ workflow)? is (\S+: \S+) here$/;

function hintOf({ problems }: { readonly problems: readonly { readonly hint?: string }[] }) {
  const [problem] = problems;
  return problem?.hint ?? "";
}

const stepOf = ({ definition }: ReturnType<typeof pattern> | ReturnType<typeof steps>) => {
  const [step] = definition?.steps ?? [];
  return { maxAttempts: step?.maxAttempts, timeoutMs: step?.timeoutMs };
};

describe("a hint for a key that this form does not know", () => {
  test.each([
    ["pattern", "max_retries: 2", 2],
    ["pattern", "maxRetriess: 2", 3],
    ["steps", "maxRetries: 2", 3],
    ["steps", "retries: 2", 3],
    ["steps", "retry: 2", 3],
  ])("in a %s workflow keeps the attempts of %s [KEY-14.retries]", (form, own, attempts) => {
    const loadIn = form === "pattern" ? pattern : steps;
    const hint = hintOf(loadIn(own));
    const written = SHOWN.exec(hint)?.[2] ?? `${/did you mean "?(\w+)/.exec(hint)?.[1]}: 2`;
    expect(stepOf(loadIn(written))).toMatchObject({ maxAttempts: attempts });
  });

  test.each([
    ["pattern", "timeout_ms: 60000", 60_000],
    ["pattern", "timeoutMs: 60000", 60_000],
    ["pattern", "timeout-minutes: 10", 600_000],
    ["steps", "timeout: 60s", 60_000],
    ["steps", "timeout_minutes: 10", 600_000],
  ])("in a %s workflow keeps the time of %s [KEY-14.units]", (form, own, timeoutMs) => {
    const loadIn = form === "pattern" ? pattern : steps;
    const [, given, written = ""] = SHOWN.exec(hintOf(loadIn(own))) ?? [];
    expect(given).toBe(own);
    expect(stepOf(loadIn(written))).toMatchObject({ timeoutMs });
  });
});

test.each([
  [30, "write a number and a unit: 30s"],
  [60_000, "write the unit: 60000ms, or 60000s if it is seconds"],
])("a time of %s without a unit is not taken for another one [KEY-14.units]", (value, hint) => {
  expect(hintOf(pattern(`timeout: ${value}`))).toBe(hint);
});

test("a step workflow that has a name in place of its id, which it cannot have, gets the hint to write the id [KEY-14.names]", () => {
  const hints = (text: string) =>
    loadSteps(text, { stepTypes }).problems.flatMap(({ code, hint = "" }) =>
      code === "WORKFLOW_MISSING_KEY" ? [hint] : [],
    );
  expect(hints('name: n\nsteps: [{ id: s, type: shell, command: ["true"] }]\n')).toEqual([
    "write id: n in place of the name",
  ]);
  expect(
    hints('id: w\nagents: [{ name: a }]\nsteps: [{ id: s, type: shell, command: ["true"] }]\n'),
  ).toEqual(["write id: a; the name is only how it is shown"]);
});
