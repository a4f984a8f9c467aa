import { describe, expect, test } from "vitest";
import { describeBackend } from "../../src/agents/backends/registry.ts";
import type { ParamSpec } from "../../src/contracts/definition.ts";
import type { Json } from "../../src/foundation/json.ts";
import { resolveParams } from "../../src/workflows/params.ts";
import { missingTask, unusedTask } from "../../src/workflows/task.ts";
import { load } from "./load-options.ts";

const specs: { readonly [name: string]: ParamSpec } = {
  target: { type: "string", required: true, description: "what to check" },
  count: { type: "number", required: false, default: 3 },
  strict: { type: "boolean", required: false },
  level: { type: "enum", values: ["low", "high"], required: false, default: "low" },
};

function resolve(given: { readonly [name: string]: Json }) {
  const { values, errors } = resolveParams(specs, given);
  return { values, errors: errors.map(({ code, message, hint }) => [code, message, hint]) };
}

describe("params", () => {
  test("are converted from texts of the command line, with defaults [WF-8]", () => {
    expect(resolve({ target: "5", count: "-1.5e1", strict: "true", level: "high" })).toEqual({
      values: { target: "5", count: -15, strict: true, level: "high" },
      errors: [],
    });
    expect(resolve({ target: "" })).toEqual({
      values: { target: "", count: 3, strict: null, level: "low" },
      errors: [],
    });
  });

  test("are taken from JSON as they are [WF-8]", () => {
    expect(resolve({ target: "x", count: 0, strict: false }).values).toEqual({
      target: "x",
      count: 0,
      strict: false,
      level: "low",
    });
  });

  test("are all checked at once, unknown ones with a near name [WF-8]", () => {
    expect(resolve({ traget: "x", count: "many", strict: "yes", level: "hihg" }).errors).toEqual([
      [
        "WORKFLOW_PARAM_UNKNOWN",
        'there is no param "traget"',
        expect.stringContaining('did you mean "target"?'),
      ],
      [
        "WORKFLOW_PARAM_MISSING",
        'param "target" is required (what to check)',
        "add -i target=VALUE",
      ],
      ["WORKFLOW_PARAM_TYPE", 'param "count" must be a number, got "many"', undefined],
      ["WORKFLOW_PARAM_TYPE", 'param "strict" must be a boolean, got "yes"', undefined],
      [
        "WORKFLOW_PARAM_VALUE",
        'param "level" cannot be "hihg"',
        'did you mean "high"?  one of: low, high',
      ],
    ]);
  });

  test.each(["", " ", "0x10", "1_000", "Infinity", "1e999", "--1", "1 2"])(
    "%j is no number [WF-8]",
    (count) => {
      expect(resolve({ target: "x", count }).errors).toEqual([
        expect.arrayContaining(["WORKFLOW_PARAM_TYPE"]),
      ]);
    },
  );

  test("do not come from prototypes [WF-8, T10]", () => {
    expect(resolve({ target: "x", constructor: "y" }).errors).toEqual([
      expect.arrayContaining(["WORKFLOW_PARAM_UNKNOWN"]),
    ]);
  });
});

describe("the task", () => {
  const agents = "agents: [{ id: talker }, { id: tool, backend: command, command: ls }]";
  const definition = (rest: string) => {
    const { definition: found } = load(`name: f\npattern: dag\n${rest}\n`);
    if (found === undefined) throw new Error("the file is not valid");
    return found;
  };
  const missing = (rest: string) =>
    missingTask(definition(rest), undefined, describeBackend)?.message;

  test("is missing when something would use it [WF-4]", () => {
    const need = 'workflow "f" needs a task: ';
    expect(missing(`${agents}\nsteps: [{ id: s, agent: talker, prompt: "do {{task}}" }]`)).toBe(
      `${need}step "s" uses {{task}}`,
    );
    expect(missing(`${agents}\nsteps: [{ id: s, agent: talker }]`)).toBe(
      `${need}step "s" has no prompt of its own`,
    );
    expect(
      missing(`${agents}\nsteps: [{ id: s, agent: talker, prompt: x, when: "length(task) > 1" }]`),
    ).toBe(`${need}the condition of step "s" uses task`);
    for (const check of ['command: [echo, "{{task}}"]', 'fileExists: "{{task}}.md"'])
      expect(
        missing(`${agents}\nsteps: [{ id: s, agent: talker, prompt: x, verify: [{ ${check} }] }]`),
      ).toBe(`${need}step "s" uses {{task}}`);
    expect(missing(agents)).toBe(`${need}agent "talker" gets it as its prompt`);
    expect(missing("agents: [{ id: t, backend: command, command: 'ls {{task}}' }]")).toBe(
      `${need}agent "t" uses {{task}}`,
    );
  });

  test("is not missing when it is given or nothing needs it [WF-4]", () => {
    expect(
      missing(`${agents}\nsteps: [{ id: s, agent: talker, prompt: "\\\\{{task}}" }]`),
    ).toBeUndefined();
    expect(missing(`${agents}\nsteps: [{ id: s, agent: tool }]`)).toBeUndefined();
    expect(missingTask(definition(agents), "go", describeBackend)).toBeUndefined();
  });

  test("is unused when no prompt has it", () => {
    const fixed = definition(`${agents}\nsteps: [{ id: s, agent: talker, prompt: x }]`);
    expect(unusedTask(fixed, "go", describeBackend)?.code).toBe("WORKFLOW_TASK_UNUSED");
    expect(unusedTask(fixed, undefined, describeBackend)).toBeUndefined();
    expect(unusedTask(definition(agents), "go", describeBackend)).toBeUndefined();
    const tool = definition(`${agents}\nsteps: [{ id: s, agent: tool }]`);
    expect(unusedTask(tool, "go", describeBackend)).toBeUndefined();
  });
});
