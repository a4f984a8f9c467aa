import { expect, test } from "vitest";
import { z } from "zod";
import { problemsInYaml } from "../../src/foundation/yaml-schema-problems.ts";
import { readYaml } from "../../src/foundation/yaml-source.ts";

const vars = z.record(z.string().regex(/^[a-z]+$/, "write it in small letters"), z.string());
const schema = z.strictObject({
  name: z.string(),
  limits: z.strictObject({ most: z.number() }).optional(),
  agents: z.array(z.strictObject({ id: z.string(), vars: vars.optional() })).optional(),
  vars: vars.optional(),
  when: z
    .union([z.boolean(), z.strictObject({ after: z.string() }), z.array(z.string())])
    .optional(),
});

/** What is wrong, with line and column. */
function problems(text: string): readonly string[] {
  const yaml = readYaml(text, "a.yaml");
  const issues = schema.safeParse(yaml.value).error?.issues ?? [];
  return problemsInYaml(issues, yaml, Object.keys(schema.shape)).map(
    ({ message, place: { file, line, column } }) => `${file}:${line}:${column} ${message}`,
  );
}

test.each([
  [
    "a value of another type",
    "name: 1\n",
    ["a.yaml:1:7 name: Invalid input: expected string, received number"],
  ],
  [
    "one that is missing",
    "limits:\n  most: 1\n",
    ["a.yaml:1:1 name: it is missing, and has to be string"],
  ],
  [
    "one that is missing in an item",
    "name: a\nagents:\n  - id: x\n  - {}\n",
    ["a.yaml:4:5 agents[1].id: it is missing, and has to be string"],
  ],
  [
    "a key that is not known, with the one that was meant",
    "name: a\nagent: []\n",
    [
      'a.yaml:2:1 unknown key "agent" (did you mean "agents"?  known: name, limits, agents, vars, when)',
    ],
  ],
  [
    "keys that are not known further down, without those of the top",
    "name: a\nlimits:\n  most: 1\n  agents: 2\n  least: 3\n",
    ['a.yaml:4:3 unknown key "agents" in limits', 'a.yaml:5:3 unknown key "least" in limits'],
  ],
  [
    "a key that is written wrong",
    "name: a\nvars:\n  ok: x\n  No: y\n",
    ["a.yaml:4:3 vars.No: write it in small letters"],
  ],
  [
    "a key that is written wrong further down",
    "name: a\nagents:\n  - id: x\n    vars:\n      No: y\n",
    ["a.yaml:5:7 agents[0].vars.No: write it in small letters"],
  ],
  [
    "a key that is not known in the kind of value that was meant",
    "name: a\nwhen:\n  after: x\n  before: y\n",
    ['a.yaml:4:3 unknown key "before" in when'],
  ],
  [
    "the kind of value that was meant, of several",
    "name: a\nwhen:\n  after: 1\n",
    ["a.yaml:3:10 when.after: Invalid input: expected string, received number"],
  ],
  [
    "the first kind where none was meant",
    "name: a\nwhen: text\n",
    ["a.yaml:2:7 when: Invalid input: expected boolean, received string"],
  ],
  [
    "a text that is no map at all",
    "text\n",
    ["a.yaml:1:1 Invalid input: expected object, received string"],
  ],
])("%s is told with its place", (_what, text, told) => {
  expect(problems(text)).toEqual(told);
});
