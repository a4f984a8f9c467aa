import fc from "fast-check";
import { expect, test } from "vitest";
import { TroupeError } from "../../../src/foundation/errors.ts";
import { evaluateExpression } from "../../../src/programs/language/expressions/evaluate.ts";
import { parseExpression } from "../../../src/programs/language/expressions/parse-expression.ts";
import { compileRegex } from "../../../src/programs/language/regex.ts";
import { parsePromptTemplate } from "../../../src/programs/language/templates/parse-prompt.ts";
import type { PromptLookup } from "../../../src/programs/language/templates/prompt-lookup.ts";
import { renderShell } from "../../../src/programs/language/templates/render-command.ts";
import { renderPrompt } from "../../../src/programs/language/templates/render-prompt.ts";
import {
  lookupIn,
  renderTemplate,
} from "../../../src/programs/language/templates/render-template.ts";
import { parseTemplate } from "../../../src/programs/language/templates/template.ts";
import { cpuMs } from "../../testing/processor-time.ts";
import { attackExpressions, attackTemplates, EXPRESSION_CODES, TEMPLATE_CODES } from "./attack.ts";

const PIECES = [
  ...["steps", ".", "plan", '["', '"]', "output", "__proto__", "constructor", "prototype"],
  ...["&&", "||", "!", "(", ")", "[", "]", ",", "==", "===", "!=", "<", ">=", " in ", "-", "-1"],
  ...[
    '"',
    "'",
    "\\",
    "1e999",
    "0x1",
    "true",
    "null",
    "length(",
    "matches(",
    "exists(",
    "contains(",
  ],
  ...[
    "{{",
    "}}",
    "\\{{",
    "${{",
    "task",
    " ",
    "\n",
    "\0",
    "\u202e",
    "\ud800",
    "ü",
    "👍",
    "#",
    "`",
    "$(",
  ],
  ...["(a+)+$", "((((", "!!!!", '"a" in ', "function", "=>", ";", "/*", "//", "eval("],
];
const promptLookup: PromptLookup = {
  find: () => ({ found: true, value: "x" }),
  known: () => [],
};
const scope = {
  task: "aaaa",
  steps: {
    plan: { output: "a".repeat(500_000), status: "completed" },
    needle: `${"a".repeat(100_000)}b${"a".repeat(100_000)}`,
  },
};

/** Runs something that may only fail with an error of ours, and says how long it took. */
function timed(run: () => unknown): number {
  const start = cpuMs();
  try {
    run();
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
  }
  return cpuMs() - start;
}

/** The collection of garbage may fall on anyone: what is slow must be slow again. */
function slowest(run: () => unknown): number {
  const first = timed(run);
  return first < 50 ? first : Math.min(first, timed(run), timed(run));
}

const text = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 5 })),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => pieces.join(""));

test("no text makes templates fail without a code or take 50 ms [WF-4, P18, T9]", () => {
  const lookup = lookupIn(scope);
  fc.assert(
    fc.property(text, (source) => {
      expect(slowest(() => renderTemplate(parseTemplate(source), lookup))).toBeLessThan(50);
      expect(slowest(() => renderShell(source, lookup))).toBeLessThan(50);
    }),
    { numRuns: 10_000, seed: 2 },
  );
});

test("50,000 hostile expressions end with a value or a code within 50 ms, and reach nothing that is not theirs [WF-5, STP-6, P18, T9, T10]", () => {
  const { codes } = attackExpressions(50_000, 31);
  expect(Object.keys(codes).filter((code) => !EXPRESSION_CODES.has(code))).toEqual([]);
  expect(codes["none"]).toBeGreaterThan(10_000);
  expect(codes["EXPRESSION_LIMIT"]).toBeGreaterThan(100);
  expect(codes["EXPRESSION_REGEX"]).toBeGreaterThan(100);
});

test("50,000 hostile templates end with a text or a code within 50 ms, and reach nothing that is not theirs [WF-13, P18, T9, T10]", () => {
  const { codes } = attackTemplates(50_000, 32);
  expect(Object.keys(codes).filter((code) => !TEMPLATE_CODES.has(code))).toEqual([]);
  expect(codes["none"]).toBeGreaterThan(10_000);
  expect(codes["WORKFLOW_PROMPT_TOO_LARGE"]).toBeGreaterThan(100);
  expect(codes["WORKFLOW_NOT_A_LIST"]).toBeGreaterThan(100);
});

test.each([
  ["nested parentheses", "(".repeat(4000)],
  ["nested lists", "[".repeat(4000)],
  ["negations", "!".repeat(4000)],
  ["a long chain", Array.from({ length: 1000 }, () => "1").join("||")],
  ["a long path", `a${".a".repeat(2000)}`],
  ["a long text", `"${"\\".repeat(4000)}`],
  ["a huge text", "a".repeat(1_000_000)],
  ["a quadratic pattern", 'matches(steps.plan.output, "(a+)+$")'],
  ["a pattern that backtracks", 'matches(steps.plan.output, "(a|aa)+(b|c)")'],
  ["an exploding pattern", 'matches(steps.plan.output, "((a{0,100}){0,100}){0,100}")'],
  ["a pattern with many states", `matches(steps.plan.output, "${"(a?b?)".repeat(100)}z")`],
  ["many patterns", Array.from({ length: 150 }, () => 'matches(task, "(a?){450}")').join("||")],
  ["a search that would take the product", "contains(steps.plan.output, steps.needle)"],
])("an expression with %s ends within 200 ms [WF-5, P18, T9]", (_, source) => {
  expect(slowest(() => evaluateExpression(parseExpression(source), scope))).toBeLessThan(200);
});

test.each([
  ["braces", "{{".repeat(200_000)],
  ["escaped braces", "\\{{".repeat(200_000)],
  ["braces of other shapes", "${{".repeat(200_000)],
  ["variables", "{{task}}".repeat(50_000)],
  ["parentheses", `${"$(".repeat(100_000)}{{task}}`],
  ["blocks that are never closed", "{{#if task}}".repeat(100_000)],
  ["blocks", "{{#if task}}x{{else}}y{{/if}}".repeat(30_000)],
  ["spaces around tags", ` {{#if task}}${" ".repeat(200_000)}x{{/if}}`.repeat(2)],
])("a template with many %s ends within 500 ms [WF-4, P18, T9]", (_, source) => {
  const lookup = lookupIn(scope);
  expect(slowest(() => renderTemplate(parseTemplate(source), lookup))).toBeLessThan(500);
  expect(slowest(() => renderShell(source, lookup))).toBeLessThan(500);
  expect(slowest(() => renderPrompt(parsePromptTemplate(source), promptLookup))).toBeLessThan(500);
});

test("a regular expression refuses a text that would take too long [T9]", () => {
  const regex = compileRegex(`${"(a?b?)".repeat(100)}z`);
  expect(() => regex.isFoundIn("a".repeat(1_000_000))).toThrow(
    expect.objectContaining({ code: "EXPRESSION_REGEX_TEXT_TOO_LARGE" }),
  );
});
