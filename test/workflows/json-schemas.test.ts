import { expect, test } from "vitest";
import { loadStepTypes } from "../../src/programs/steps/registry.ts";
import { parseWorkflow } from "../../src/workflows/parse-workflow.ts";
import { loadOptions } from "./load-options.ts";

const builtInStepTypes = await loadStepTypes();

const CODE = "WORKFLOW_JSON_SCHEMA";

interface Told {
  readonly place: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

function told(text: string): readonly Told[] {
  const options = { ...loadOptions, stepTypes: builtInStepTypes };
  return parseWorkflow(text, "flow.yaml", options).problems.map(
    ({ code, line, column, message, hint }) => ({
      place: `${code} ${line}:${column}`,
      message,
      ...(hint === undefined ? {} : { hint }),
    }),
  );
}

const flow = (schema: string) =>
  `id: f\nagents:\n  a: { backend: claude }\nsteps:\n  - id: s\n    type: agent\n    agent: a\n    output_schema:\n      ${schema}\n`;

test.each([
  {
    schema: "requird: [a]",
    place: "9:7",
    message: 'has the word "requird", which JSON Schema 2020-12 does not know',
    hint: 'did you mean "required"?',
  },
  {
    schema: "properties: { n: { type: strin } }",
    place: "9:32",
    message: '.properties.n.type cannot be "strin"',
    hint: 'did you mean "string"?',
  },
  {
    schema: "properties: { n: { $ref: 'https://example.com/x.json' } }",
    place: "9:32",
    message: '.properties.n.$ref leads out of the schema: "https://example.com/x.json"',
    hint: "nothing is fetched",
  },
  {
    schema: "items: { $ref: '#/$defs/none' }",
    place: "9:22",
    message: '.items.$ref leads nowhere: "#/$defs/none"',
    hint: "a reference is #/$defs/NAME",
  },
  {
    schema: "patternProperties: { '(?=a)b': true }",
    place: "9:28",
    message: '.patternProperties cannot be used: "(?=a)b" is not a usable regular expression',
    hint: "RE2 syntax",
  },
  {
    schema: "allOf: [{ $ref: '#' }]",
    place: "9:23",
    message: ".allOf[0].$ref leads back to itself",
    hint: "below properties or items",
  },
  {
    schema: "nullable: true",
    place: "9:7",
    message: 'has the word "nullable"',
    hint: 'type: [.., "null"]',
  },
  { schema: "required: a", place: "9:17", message: ".required must be a list of names", hint: "" },
  {
    schema: "$schema: 'http://json-schema.org/draft-04/schema#'",
    place: "9:16",
    message: ".$schema names a dialect that is not known",
    hint: "leave it out",
  },
])("loading a file tells of $schema at its place [WF-11.schema]", ({ schema, ...expected }) => {
  expect(told(flow(schema))).toEqual([
    {
      place: `${CODE} ${expected.place}`,
      message: expect.stringMatching(/^steps\.s\.output_schema/),
      ...(expected.hint === "" ? {} : { hint: expect.stringContaining(expected.hint) }),
    },
  ]);
  expect(told(flow(schema))[0]?.message).toContain(expected.message);
});

test.each([
  "x-note: mine",
  "$schema: 'http://json-schema.org/draft-07/schema#'",
  "required: [a]",
  "type: [object, 'null']",
  "prefixItems: [{ type: string }]",
  "{ properties: { next: { $ref: '#' } } }",
  "{ default: { requird: 1 }, examples: [{ type: strin }], enum: [{ $ref: nowhere }] }",
  "{ $ref: '#/$defs/a', $defs: { a: { minLength: 1, format: email } } }",
])("%s is a schema that nothing is wrong with [WF-11.schema]", (schema) => {
  expect(told(flow(schema))).toEqual([]);
});

test("schemas of checks are judged in every shape of workflow [WF-11.schema]", () => {
  const pattern =
    "name: p\npattern: pipeline\nagents:\n  - { id: a, backend: claude }\nsteps:\n  - { id: s, agent: a, verify: [{ jsonSchema: { type: strin } }] }\n";
  expect(told(pattern)).toMatchObject([
    { place: `${CODE} 6:55`, message: 'steps.s.verify.0.jsonSchema.type cannot be "strin"' },
  ]);
  const steps =
    "id: f\nagents:\n  a: { backend: claude }\nsteps:\n  - id: s\n    type: agent\n    agent: a\n    verify: [{ json_schema: { requird: [a] } }]\n";
  expect(told(steps)).toMatchObject([
    {
      place: `${CODE} 8:31`,
      message: expect.stringMatching(/^steps\.s\.verify\.0\.json_schema has/),
    },
  ]);
  const inner =
    "id: f\nagents:\n  a: { backend: claude }\nsteps:\n  - id: s\n    type: pattern\n    pattern: fan-out\n    steps:\n      - { id: i, agent: a, verify: [{ json_schema: { type: strin } }] }\n";
  expect(told(inner)).toMatchObject([
    {
      place: `${CODE} 9:60`,
      message: 'steps.s.steps.0.verify.0.json_schema.type cannot be "strin"',
    },
  ]);
});
