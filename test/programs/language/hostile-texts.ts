import fc from "fast-check";
import type { Json } from "../../../src/foundation/json.ts";

const NAMES = [
  ...["input", "context", "context.plan", "context.huge", "context.list", "context.own", "item"],
  ...["context.plan.files[0]", "context.plan.count", "errors", "context.bombs", "context.deep"],
];
const LURES = [
  ...["__proto__", "constructor", "constructor.constructor", "prototype", "toString", "valueOf"],
  ...["this", "globalThis", "process", "require", "eval", "Function", "leak", "context.leak"],
  ...["context.list.leak", "context.plan.leak.leak", "input.leak", "length", "input.length"],
  ...['context["__proto__"]', 'context["constructor"]["name"]', "context.list[999999999999]"],
];
// A Greek o, full-width letters, an invisible joiner, a mark that turns the direction, half a character.
const LOOK_ALIKES = ["c\u03bfnstructor", "\uff3fproto", "in\u200dput", "\u202eproto", "\ud800"];
const NUMBERS = ["0", "-0", "1e308", "1e999", "9".repeat(400), "-1.5e-300"];
const TEXTS = ['""', "'it'", '"a"', '"\\u0000"', '"\ud800"', `"${"a".repeat(300)}"`];
const PATTERNS = [
  ...['"(a+)+$"', '"(a|aa)+(b|c)"', '"(?=a)"', '"(.*)*(.*)*(.*)*x"', '"[[[["', '"(a)\\1"'],
  ...['"((a{0,90}){0,90}){0,90}"', "context.huge", "input"],
];
/** Those that take milliseconds. */
const BOMBS = [
  ...['"(a?){450}"', '"[\\p{L}\\p{N}]{100}"', '"((a?b?){30}){9}z"'],
  ...["context.bombs[0]", "context.bombs[1]", "context.bombs[2]"],
];
const CALLS = ["length", "contains", "startsWith", "endsWith", "exists"];
const OPERATORS = ["==", "===", "!=", "!==", "<", "<=", ">", ">=", "in", "&&", "||"];
const JUNK = [
  ...["steps", ".", "..", '["', '"]', "(", ")", "[", "]", ",", "!", "-", "=", "&", "|", ";", "=>"],
  ...['"', "'", "\\", "{{", "}}", "\\{{", "${{", "{{{", "}}}", "{{#if ", "{{#each ", "{{/if}}"],
  ...["{{/each}}", "{{else}}", "{{else if x}}", "{{#unless x}}", "{{> x}}", "{{this", "{{@", "../"],
  ...[
    " ",
    "\n",
    "\r\n",
    "\0",
    "\u202e",
    "\ufeff",
    "👍",
    "#",
    "`",
    "$(",
    "/*",
    "//",
    "((((",
    "!!!!",
  ],
  ...["0x1f", "1_000", "NaN", "eval(", "function", "matches("],
];

const name = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 20, arbitrary: fc.constantFrom(...LURES) },
  { weight: 1, arbitrary: fc.constantFrom(...LOOK_ALIKES) },
);
const junk = fc
  .array(
    fc.oneof(
      fc.constantFrom(...JUNK, ...NAMES, ...LURES, ...NUMBERS, ...TEXTS, ...OPERATORS),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

const own: Json = JSON.parse('{"__proto__": {"own": 1}, "hasOwnProperty": 2}');

/** Values that the hostile texts name. */
export const HOSTILE_VALUES: { readonly [name: string]: Json } = {
  input: "fix it",
  context: {
    plan: { files: ["a.ts"], status: "completed", count: 3 },
    huge: "a".repeat(50_000),
    list: Array.from({ length: 12 }, (_, index) => ({ name: `item ${index}`, tags: ["x", "y"] })),
    own,
    bombs: [
      `(?i)${"[a-zA-Z\\p{L}]".repeat(30)}`,
      `${"(a?b?)".repeat(100)}z`,
      `${"a".repeat(499)}b${"a".repeat(499)}`,
    ],
    deep: Array.from({ length: 600 }).reduce<Json>((inner) => [inner], 1),
  },
  item: [[[["deep"]]]],
  errors: {},
};

/** Expressions, most of which can be read, and texts that only look like some. */
export const hostileExpression: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: expressions() },
  { weight: 1, arbitrary: junk },
);

/** Prompt templates, most of which can be read, and texts that only look like some. */
export const hostileTemplate: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: templates() },
  { weight: 1, arbitrary: junk },
);

function expressions(): fc.Arbitrary<string> {
  const pattern = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...PATTERNS) },
    { weight: 1, arbitrary: fc.constantFrom(...BOMBS) },
  );
  const { expression } = fc.letrec<{ expression: string }>((tie) => {
    const inner = tie("expression");
    const called = fc.tuple(fc.constantFrom(...CALLS), fc.oneof(name, inner), inner).map(callOf);
    const matched = fc
      .tuple(fc.constantFrom("context.huge", "input", '"ab"'), pattern)
      .map(([text, written]) => `matches(${text}, ${written})`);
    return {
      expression: fc.oneof(
        { maxDepth: 5 },
        { weight: 4, arbitrary: name },
        { weight: 2, arbitrary: fc.constantFrom(...TEXTS, ...NUMBERS) },
        { weight: 3, arbitrary: fc.tuple(inner, fc.constantFrom(...OPERATORS), inner).map(binary) },
        { weight: 3, arbitrary: called },
        { weight: 1, arbitrary: matched },
        { weight: 1, arbitrary: chainOf(fc.oneof(matched, called), "||") },
        { weight: 1, arbitrary: inner.map((operand) => `!${operand}`) },
        { weight: 1, arbitrary: chainOf(inner, ",").map((items) => `[${items}]`) },
      ),
    };
  });
  return expression;
}

function binary(parts: readonly [string, string, string]): string {
  return `(${parts.join(" ")})`;
}

function callOf([called, first, second]: readonly [string, string, string]): string {
  const isSingle = called === "length" || called === "exists";
  return `${called}(${isSingle ? first : `${first}, ${second}`})`;
}

function chainOf(piece: fc.Arbitrary<string>, separator: string): fc.Arbitrary<string> {
  return fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(separator));
}

function templates(): fc.Arbitrary<string> {
  const ofItem = ["this", "this.leak", "this.constructor", "this.tags", "@key", "@index"];
  const item = fc.constantFrom(...ofItem);
  const list = fc.constantFrom(
    "context.list",
    "context",
    "context.plan",
    "context.own",
    "context.deep",
  );
  const { text } = fc.letrec<{ text: string; piece: string }>((tie) => {
    const body = tie("text");
    return {
      piece: fc.oneof(
        { maxDepth: 4 },
        { weight: 3, arbitrary: name.map((path) => `{{${path}}}`) },
        { weight: 1, arbitrary: fc.constantFrom("\\{{", "\n", " text ", "${{ x }}", "{", "}}") },
        { weight: 2, arbitrary: fc.tuple(name, body, body).map(ifBlock) },
        { weight: 2, arbitrary: fc.tuple(list, item, body).map(eachBlock) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(item, item, body)
            .map((parts) => `{{#each context.list}}${eachBlock(parts)}{{/each}}`),
        },
      ),
      text: fc.array(tie("piece"), { maxLength: 4 }).map((pieces) => pieces.join("")),
    };
  });
  return text;
}

function ifBlock([path, body, otherwise]: readonly [string, string, string]): string {
  return `{{#if ${path}}}${body}{{else}}${otherwise}{{/if}}`;
}

function eachBlock([path, item, body]: readonly [string, string, string]): string {
  return `{{#each ${path}}}${body}{{${item}}}{{/each}}`;
}
