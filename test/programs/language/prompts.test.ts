import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
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

const values = {
  input: "say {{input}} and \\{{input}}",
  context: {
    plan: { files: ["a.ts", "b.ts"], steps: 3, note: null, "odd key": "odd" },
    "parallel-tests": {
      data: [
        { stepId: "unit", result: { passed: 4, failed: 0 } },
        { stepId: "e2e", result: null },
      ],
    },
    "3d": { ok: true },
    empty: { list: [], object: {}, text: "", zero: 0, no: false },
    review: { "src/a.ts": { notes: ["x", "y"] }, "src/b.ts": { notes: [] } },
    names: [{ constructor: "own" }],
  },
};

/** As step workflows look up: what is below `context` may be missing. */
function lookupIn(roots: { readonly [name: string]: Json }): PromptLookup {
  return {
    find: (segments) => {
      const value = valueAt(roots, segments);
      if (value !== undefined) return { found: true, value };
      return { found: false, isOptional: segments[0] === "context" };
    },
    known: () => memberNames(roots),
  };
}

function render(text: string, roots: { readonly [name: string]: Json } = values): string {
  return renderPrompt(parsePromptTemplate(text), lookupIn(roots));
}

function faultsOf(text: string): readonly string[] {
  return scanPromptTemplate(text).faults.map(({ error }) => error.message);
}

describe("values", () => {
  test.each([
    ["", ""],
    ["plain } text { }}", "plain } text { }}"],
    ["{{context.plan.steps}} {{ context.plan.steps }}", "3 3"],
    ["{{context.plan.files}}", '["a.ts","b.ts"]'],
    ["{{context.plan.files.1}}{{context.plan.files[0]}}", "b.tsa.ts"],
    ["{{context.parallel-tests.data.0.result}}", '{"passed":4,"failed":0}'],
    ['{{context["plan"]["odd key"]}}', "odd"],
    ["{{context.3d}}", '{"ok":true}'],
    ["[{{context.plan.note}}]", "[]"],
    ["[{{context.plan.nothing}}{{context.nobody.at.all}}]", "[]"],
    ["\\{{input}} a\\\\{{context.plan.steps}}", "{{input}} a\\{{context.plan.steps}}"],
    ["${{ task }} ${{ any thing", "${{ task }} ${{ any thing"],
    ['{"a": {"b": {{context.plan.steps}} }}', '{"a": {"b": 3 }}'],
  ])("%j prints %j [WF-13]", (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  test("values are never read as templates again, in lists neither [WF-13]", () => {
    expect(render("{{input}}")).toBe("say {{input}} and \\{{input}}");
    const hostile = { context: { items: ["{{input}}", "{{/each}}{{else}}"] }, input: "secret" };
    expect(render("{{#each context.items}}<{{this}}>{{/each}}", hostile)).toBe(
      "<{{input}}><{{/each}}{{else}}>",
    );
  });

  test("a name that nothing can set is an error that names near ones, in blocks too [WF-4, WF-13]", () => {
    for (const text of ["{{inputs}}", "{{#if inputs}}{{/if}}", "{{#each inputs}}{{/each}}"])
      expect(() => render(text), text).toThrow(
        expect.objectContaining({
          code: "WORKFLOW_UNKNOWN_VARIABLE",
          message: "variable {{inputs}} is not set",
          hint: 'did you mean "input"?  known: input, context',
        }),
      );
  });

  test("prototypes and functions cannot be reached by any path [WF-13, T10]", () => {
    for (const path of [
      "constructor",
      "__proto__",
      "input.length",
      "input.constructor",
      "toString",
      'input["__proto__"]',
    ])
      expect(() => render(`{{${path}}}`), path).toThrow(
        expect.objectContaining({ code: "WORKFLOW_UNKNOWN_VARIABLE" }),
      );
    for (const path of [
      "context.__proto__",
      "context.plan.constructor.name",
      "context.plan.files.map",
    ])
      expect(render(`[{{${path}}}{{#if ${path}}}yes{{/if}}]`), path).toBe("[]");
    expect(render("{{context.names.0.constructor}}")).toBe("own");
  });
});

describe("conditions", () => {
  test.each([
    ["context.plan", "yes"],
    ["context.plan.steps", "yes"],
    ["context.plan.note", "no"],
    ["context.nobody", "no"],
    ["context.nobody.data", "no"],
    ["context.empty.list", "no"],
    ["context.empty.object", "no"],
    ["context.empty.text", "no"],
    ["context.empty.zero", "no"],
    ["context.empty.no", "no"],
    ["context.3d.ok", "yes"],
  ])("{{#if %s}} is %s [WF-13]", (path, expected) => {
    expect(render(`{{#if ${path}}}yes{{else}}no{{/if}}`)).toBe(expected);
  });

  test("blocks nest, and one without else prints nothing [WF-13]", () => {
    const text =
      "{{#if context.plan}}a{{#if context.nobody}}b{{else}}c{{/if}}d{{/if}}{{#if context.nobody}}e{{/if}}";
    expect(render(text)).toBe("acd");
  });

  test("a line with nothing but the tag of a block leaves no line [WF-13]", () => {
    const text =
      "a\n  {{#if context.plan}}  \r\nb {{context.plan.steps}}\n{{else}}\nc\n{{/if}}\nd\n{{#if context.plan}} e{{/if}}\n{{#if context.plan}}\nf\n\t{{/if}}";
    expect(render(text)).toBe("a\nb 3\nd\n e\nf\n");
  });
});

describe("lists", () => {
  test.each([
    ["{{#each context.plan.files}}{{@index}}/{{@key}}={{this}};{{/each}}", "0/0=a.ts;1/1=b.ts;"],
    ["{{#each context.plan}}{{@index}}{{@key}} {{/each}}", "0files 1steps 2note 3odd key "],
    [
      "{{#each context.parallel-tests.data}}\n- {{this.stepId}}: {{this.result.passed}} passed\n{{/each}}",
      "- unit: 4 passed\n- e2e:  passed\n",
    ],
    ["{{#each context.nobody}}x{{else}}none{{/each}}", "none"],
    ["{{#each context.empty.list}}x{{else}}none{{/each}}", "none"],
    ["{{#each context.empty.object}}x{{else}}none{{/each}}", "none"],
    ["{{#each context.plan.note}}x{{else}}none{{/each}}", "none"],
    [
      "{{#each context.review}}{{@key}}:{{#each this.notes}} {{@index}}{{this}}{{else}} nothing in {{@key}}{{/each}}\n{{/each}}",
      "src/a.ts: 0x 1y\nsrc/b.ts: nothing in src/b.ts\n",
    ],
    ['{{#each context.review}}{{this["notes"][0]}}{{context.plan.steps}} {{/each}}', "x3 3 "],
    ["{{#each context.plan.files}}{{#if @index}}, {{/if}}{{this}}{{/each}}", "a.ts, b.ts"],
    ["{{#each context.plan.files}}{{#if this}}{{this}}{{/if}}{{/each}}", "a.tsb.ts"],
  ])("%j prints %j [WF-13]", (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  test("what an item lacks is looked up by its whole path [WF-13, STP-6]", () => {
    const paths: string[] = [];
    const lookup: PromptLookup = {
      find: (segments) => {
        paths.push(segments.join("."));
        if (segments.join(".") === "context.test.success") return { found: true, value: false };
        const value = valueAt({ context: { test: { passed: 1 } } }, segments);
        return value === undefined ? { found: false, isOptional: true } : { found: true, value };
      },
      known: () => [],
    };
    const template = parsePromptTemplate(
      "{{#each context}}{{@key}} {{this.passed}} {{this.success}}{{this.ghost}}{{/each}}",
    );
    expect(renderPrompt(template, lookup)).toBe("test 1 false");
    expect(paths).toEqual(["context", "context.test.success", "context.test.ghost"]);
  });

  test("what an item must have names what it has [WF-4, WF-13]", () => {
    expect(() => render("{{#each items}}{{this.nam}}{{/each}}", { items: [{ name: 1 }] })).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_UNKNOWN_VARIABLE",
        hint: 'did you mean "this.name"?  known: items, this.name',
      }),
    );
  });

  test("a text is no list [WF-13]", () => {
    for (const [path, found] of [
      ["context.plan.steps", "a number"],
      ["input", "a text"],
      ["context.3d.ok", "true"],
    ])
      expect(() => render(`{{#each ${path}}}x{{/each}}`)).toThrow(
        expect.objectContaining({
          code: "WORKFLOW_NOT_A_LIST",
          message: `{{#each ${path}}} needs a list or an object, got ${found}`,
        }),
      );
  });
});

describe("bounds", () => {
  const large = {
    context: { text: "a".repeat(1_000_000), items: Array.from({ length: 1000 }, () => ({})) },
  };

  test("a text that lists would blow up is refused [WF-13, T9]", () => {
    for (const text of [
      "{{#each context.items}}{{context.text}}{{/each}}",
      "{{#each context.items}}{{#each context.items}}{{/each}}{{/each}}",
      `{{#each context.items}}${"{{#if context.nobody}}{{/if}}".repeat(300)}{{/each}}`,
      `{{#each context.items}}${"a".repeat(10_000)}{{/each}}`,
    ])
      expect(() => render(text, large), text.slice(0, 80)).toThrow(
        expect.objectContaining({ code: "WORKFLOW_PROMPT_TOO_LARGE" }),
      );
  });

  test("a value of any depth is refused or printed, never a crash [WF-13, T9]", () => {
    let deep: Json = 1;
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    expect(() => render("{{context.deep}}", { context: { deep } })).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_PROMPT_TOO_LARGE",
        message: "the text becomes too large at {{context.deep}}: its value has too many levels",
      }),
    );
  });
});

describe("faults", () => {
  test.each([
    ["{{", '"{{" cannot be read: the closing }} is missing'],
    ["{{}}", '"{{}}" cannot be read: it has no name'],
    ["{{a b}}", '"{{a b}}" cannot be read: a name is words joined by dots, or ["in brackets"]'],
    ["{{a..b}}", '"{{a..b}}" cannot be read: a name is words joined by dots, or ["in brackets"]'],
    ['{{a["b}}', '"{{a["b}}" cannot be read: a name is words joined by dots, or ["in brackets"]'],
    [
      "{{{raw}}}",
      '"{{{raw}}}" cannot be read: values are never escaped, so two braces are all there is',
    ],
    [
      "{{#unless x}}",
      '"{{#unless x}}" cannot be read: there are {{name}}, {{#if name}}, {{#each name}}, {{else}}, {{/if}} and {{/each}}',
    ],
    [
      "{{> part}}",
      '"{{> part}}" cannot be read: there are {{name}}, {{#if name}}, {{#each name}}, {{else}}, {{/if}} and {{/each}}',
    ],
    ["{{#if}}", '"{{#if}}" cannot be read: it does not say of what: write {{#if context.plan}}'],
    [
      "{{#each }}",
      '"{{#each }}" cannot be read: it does not say over what: write {{#each context.plan.files}}',
    ],
    [
      "{{#if a}}{{#each b c}}{{this}}{{else}}{{/each}}{{else}}{{/if}}{{#if a}}{{/if}}",
      '"{{#each b c}}" cannot be read: a name is words joined by dots, or ["in brackets"]',
    ],
    [
      "{{#if a b}}{{else}}{{/if}}",
      '"{{#if a b}}" cannot be read: a name is words joined by dots, or ["in brackets"]',
    ],
    ["{{this}}", '"{{this}}" cannot be read: this stands inside of {{#each}} only'],
    ["{{@key}}", '"{{@key}}" cannot be read: @key stands inside of {{#each}} only'],
    ["{{@first}}", '"{{@first}}" cannot be read: there are @key and @index only'],
    [
      "{{#each a}}{{../x}}{{/each}}",
      '"{{../x}}" cannot be read: items of an outer {{#each}} cannot be reached',
    ],
    [
      "{{#each a}}{{else}}{{this}}{{/each}}",
      '"{{this}}" cannot be read: this stands inside of {{#each}} only',
    ],
    ["{{#if a}}", '"{{#if a}}" cannot be read: its {{/if}} is missing'],
    ["{{/if}}", '"{{/if}}" cannot be read: it would close {{#if}}, but nothing is open'],
    [
      "{{#each a}}{{/if}}{{/each}}",
      '"{{/if}}" cannot be read: it would close {{#if}}, but {{#each a}} is open',
    ],
    ["{{else}}", '"{{else}}" cannot be read: it stands inside of no block'],
    ["{{#if a}}{{else}}{{else}}{{/if}}", '"{{else}}" cannot be read: it is the second one'],
    [
      "{{#if a}}{{else if b}}{{/if}}",
      '"{{else if b}}" cannot be read: {{else}} takes nothing; put an {{#if}} inside of it',
    ],
    [`{{a${"b".repeat(260)}}}`, expect.stringMatching(/its name has more than 256 characters$/)],
    [
      `${"{{#if a}}".repeat(17)}${"{{/if}}".repeat(17)}`,
      '"{{#if a}}" cannot be read: blocks nest more than 16 deep',
    ],
  ])("%j is a fault [WF-13]", (text, message) => {
    expect(faultsOf(text)).toEqual([message]);
    expect(() => parsePromptTemplate(text)).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_TEMPLATE_SYNTAX",
        hint: "write {{input}} or {{context.plan.files}}; to print the braces write \\{{",
      }),
    );
  });

  test("the first twenty faults are found at once, with their places [WF-1]", () => {
    const { faults } = scanPromptTemplate("{{a b}} {{input}} {{/if}}");
    expect(faults.map(({ span }) => span)).toEqual([
      { start: 0, end: 7 },
      { start: 18, end: 25 },
    ]);
    expect(scanPromptTemplate("{{}}".repeat(1000)).faults).toHaveLength(20);
    expect(scanPromptTemplate("{{#if a}}".repeat(1000)).faults).toHaveLength(20);
  });
});

test("all variables of a template are known with their places, and whether a list is around them [WF-13]", () => {
  const template = scanPromptTemplate(
    '{{input}}{{#if context.plan}}{{else}}{{#each context["a b"]}}{{this.x}}{{context.c}}{{/each}}{{/if}}',
  );
  expect(
    promptVariables(template).map(({ segments, span, isInEach }) => [
      segments,
      span.start,
      isInEach,
    ]),
  ).toEqual([
    [["input"], 0, false],
    [["context", "plan"], 9, false],
    [["context", "a b"], 37, false],
    [["context", "c"], 71, true],
  ]);
});

describe("commands", () => {
  const lookup = commandLookup(lookupIn(values));

  test("commands see the same values, never as text of a script [WF-13, T6]", () => {
    expect(renderCommand("run {{context.plan.files.0}} {{context.nobody}}", lookup)).toEqual({
      command: 'run "${TROUPE_VALUE_1}" "${TROUPE_VALUE_2}"',
      env: { TROUPE_VALUE_1: "a.ts", TROUPE_VALUE_2: "" },
    });
    expect(renderCommand(["run", "--files={{context.plan.files}}"], lookup).command).toEqual([
      "run",
      '--files=["a.ts","b.ts"]',
    ]);
  });

  test("a command has no blocks, and its names must be known [WF-4, WF-13]", () => {
    expect(() => renderCommand("{{#if context.plan}}x{{/if}}", lookup)).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_TEMPLATE_SYNTAX",
        message:
          '"{{#if context.plan}}" is not a variable: blocks stand in the prompts of step workflows only',
      }),
    );
    expect(() => renderCommand("{{inputs}}", lookup)).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_UNKNOWN_VARIABLE",
        hint: 'did you mean "input"?  known: input, context',
      }),
    );
  });
});
