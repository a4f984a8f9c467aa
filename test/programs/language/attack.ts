import fc from "fast-check";
import { TroupeError } from "../../../src/foundation/errors.ts";
import { type Json, toJson } from "../../../src/foundation/json.ts";
import { expressionFaults } from "../../../src/programs/language/expressions/check-expression.ts";
import { evaluateExpression } from "../../../src/programs/language/expressions/evaluate.ts";
import { parseExpression } from "../../../src/programs/language/expressions/parse-expression.ts";
import { memberNames, valueAt } from "../../../src/programs/language/member-of.ts";
import {
  parsePromptTemplate,
  scanPromptTemplate,
} from "../../../src/programs/language/templates/parse-prompt.ts";
import {
  commandLookup,
  type PromptLookup,
} from "../../../src/programs/language/templates/prompt-lookup.ts";
import { promptVariables } from "../../../src/programs/language/templates/prompt-template.ts";
import { renderCommand } from "../../../src/programs/language/templates/render-command.ts";
import { renderPrompt } from "../../../src/programs/language/templates/render-prompt.ts";
import { cpuMs } from "../../testing/processor-time.ts";
import { HOSTILE_VALUES, hostileExpression, hostileTemplate } from "./hostile-texts.ts";

/** What a number of hostile texts came to. */
export interface AttackReport {
  /** How many there were of each code, and of `none`. */
  readonly codes: { readonly [code: string]: number };
  readonly worstMs: number;
  readonly worst: string;
}

/** How evaluation may end. */
export const EXPRESSION_CODES: ReadonlySet<string> = new Set([
  ...["none", "EXPRESSION_SYNTAX", "EXPRESSION_LIMIT", "EXPRESSION_UNKNOWN_PATH"],
  ...["EXPRESSION_TYPE", "EXPRESSION_UNKNOWN_FUNCTION", "EXPRESSION_REGEX"],
  "EXPRESSION_REGEX_TEXT_TOO_LARGE",
]);
/** How rendering may end. */
export const TEMPLATE_CODES: ReadonlySet<string> = new Set([
  ...["none", "WORKFLOW_TEMPLATE_SYNTAX", "WORKFLOW_UNKNOWN_VARIABLE", "WORKFLOW_NOT_A_LIST"],
  ...["WORKFLOW_PROMPT_TOO_LARGE", "WORKFLOW_VALUE_TOO_LARGE"],
]);

const MARK = "reached a prototype or a global";
const LIMIT_MS = 50;
const lookup: PromptLookup = {
  find: (segments) => {
    const value = valueAt(HOSTILE_VALUES, segments);
    if (value !== undefined) return { found: true, value };
    return { found: false, isOptional: segments[0] !== "input" };
  },
  known: () => memberNames(HOSTILE_VALUES),
};

/** Evaluates so many hostile expressions. Throws when one does what none may. */
export function attackExpressions(numRuns: number, seed: number): AttackReport {
  return attack(hostileExpression, { numRuns, seed }, (source) => {
    const expression = parseExpression(source);
    expressionFaults(expression);
    return evaluateExpression(expression, HOSTILE_VALUES);
  });
}

/** Renders so many hostile templates, as prompts and as commands. Throws when one does what none may. */
export function attackTemplates(numRuns: number, seed: number): AttackReport {
  return attack(hostileTemplate, { numRuns, seed }, (source) => {
    promptVariables(scanPromptTemplate(source));
    const prompt = renderPrompt(parsePromptTemplate(source), lookup);
    return source.includes("{{#") ? prompt : [prompt, commandText(source)];
  });
}

function commandText(source: string): Json {
  const { command, env } = renderCommand(source, commandLookup(lookup));
  return [typeof command === "string" ? command : [...command], env];
}

function attack(
  texts: fc.Arbitrary<string>,
  parameters: { readonly numRuns: number; readonly seed: number },
  run: (source: string) => Json,
): AttackReport {
  const codes: { [code: string]: number } = {};
  let worst = { ms: 0, source: "" };
  const before = namesOfPrototypes();
  withMarks(() => {
    fc.assert(
      fc.property(texts, (source) => {
        let { code, ms } = outcomeOf(run, source);
        // The collection of garbage may fall on anyone: what is slow must be slow again.
        if (ms > worst.ms) ms = Math.min(ms, outcomeOf(run, source).ms);
        if (ms > worst.ms) worst = { ms, source };
        if (ms > LIMIT_MS) throw new Error(`took ${ms} ms`);
        codes[code] = (codes[code] ?? 0) + 1;
      }),
      parameters,
    );
  });
  if (namesOfPrototypes() !== before) throw new Error("a prototype or the globals were changed");
  return { codes, worstMs: worst.ms, worst: worst.source };
}

function outcomeOf(run: (source: string) => Json, source: string): { code: string; ms: number } {
  const start = cpuMs();
  try {
    const result = run(source);
    const ms = cpuMs() - start;
    assertOwn(result);
    return { code: "none", ms };
  } catch (error) {
    const ms = cpuMs() - start;
    if (!(error instanceof TroupeError)) throw error;
    if (`${error.message} ${error.hint}`.includes(MARK))
      throw new Error("an error shows what is hidden");
    return { code: error.code, ms };
  }
}

/** Every prototype and the globals have a member that a path could name: it must never be found. */
function assertOwn(result: Json): void {
  // A function or anything else that is no JSON is VALUE_NOT_JSON here, a code that nobody expects.
  const text = JSON.stringify(toJson(result, "the result"));
  if (text.includes(MARK)) throw new Error("a prototype or a global was reached");
}

const MARKED = [Object, Array, String, Number, Boolean, Function].map((type) => type.prototype);

function withMarks(run: () => void): void {
  const holders: readonly object[] = [...MARKED, globalThis];
  const mark = { value: MARK, configurable: true, enumerable: false };
  for (const holder of holders) Object.defineProperty(holder, "leak", mark);
  try {
    run();
  } finally {
    for (const holder of holders) Reflect.deleteProperty(holder, "leak");
  }
}

function namesOfPrototypes(): string {
  return [...MARKED, globalThis].map((holder) => Reflect.ownKeys(holder).map(String).join()).join();
}
