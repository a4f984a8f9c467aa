import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadStepTypes } from "../../../src/programs/steps/registry.ts";
import { printImported } from "../../../src/workflows/importers/print-imported.ts";
import { type ParseOptions, parseWorkflow } from "../../../src/workflows/parse-workflow.ts";
import type { AgentTypeFinder } from "../../../src/workflows/resolve/agent-type.ts";
import { loadOptions } from "../load-options.ts";

const options: ParseOptions = {
  ...loadOptions,
  stepTypes: await loadStepTypes(),
  importFrom: "openagents",
};

/** A workflow of these steps. */
function file(steps: readonly object[], more: object = {}): string {
  return JSON.stringify({ id: "flow", description: "A flow", ...more, steps });
}

function load(text: string, given: ParseOptions = options, name = "flow.json") {
  const { definition, problems, imported } = parseWorkflow(text, name, given);
  const told = problems.map(
    ({ code, message }) => `${code.replace("WORKFLOW_IMPORT_", "")}: ${message}`,
  );
  return { definition, told, imported };
}

const SHELL = { type: "shell", command: "true" };

test("a workflow with all that OpenAgents has becomes a step workflow [ECO-8.openagents]", async () => {
  const text = readFileSync(join(import.meta.dirname, "openagents/rename.json"), "utf8");
  const { definition, told, imported } = load(text, { ...options, importFrom: undefined });
  expect(definition).toBeDefined();
  expect(told.filter((each) => !/^(WORKFLOW_IMPORTED|LEFT_OUT|CHANGED)/.test(each))).toEqual([]);
  if (imported === undefined) throw new Error("it was not taken for one of OpenAgents");
  const printed = printImported(imported, "rename.json");
  await expect(printed).toMatchFileSnapshot("../golden/openagents/rename.yaml");
  const native = { ...options, importFrom: undefined };
  expect(load(printed, native, "rename.yaml").told).toEqual([]);
});

test.each(["max_context_size", "context_retention", "persist", "persist_dir", "trace", "debug"])(
  "%s tells that a file is of OpenAgents, and is told to be left out [ECO-8.openagents]",
  (key) => {
    const text = file([{ id: "a", ...SHELL }], { [key]: true });
    const { definition, told } = load(text, { ...options, importFrom: undefined });
    expect(definition).toBeDefined();
    expect(told).toEqual([
      expect.stringMatching(`^WORKFLOW_IMPORTED: .*written for openagents, as ${key} shows`),
      expect.stringMatching(`^LEFT_OUT: ${key} is left out`),
    ]);
    const own = load(file([{ id: "a", ...SHELL }], { [key]: true, agents: {} }), {
      ...options,
      importFrom: undefined,
    });
    expect(own.told.join()).toContain(`WORKFLOW_UNKNOWN_KEY: unknown key "${key}"`);
  },
);

describe("expressions begin with context where they name a result [ECO-8.openagents]", () => {
  test.each([
    ["look.ok === true", "context.look.ok === true"],
    ["context.look.ok", "context.look.ok"],
    ["look.look.look > 1 && look", "context.look.look.look > 1 && context.look"],
    ['input.text == "look.ok"', 'input.text == "look.ok"'],
    ["[look.a, len.b]", "[context.look.a, len.b]"],
    ["look(look.a) > 0", "look(context.look.a) > 0"],
  ])("%s", (written, read) => {
    const steps = [
      { id: "look", ...SHELL, next: "ask" },
      { id: "ask", type: "condition", condition: written, then: "look" },
    ];
    const { imported } = load(file(steps));
    if (imported === undefined) throw new Error("it was not read as one of OpenAgents");
    expect(printImported(imported, "flow.json")).toContain(read);
  });

  test("however long they are", () => {
    const condition = Array.from({ length: 60_000 }, () => "look.ok").join(" && ");
    const steps = [
      { id: "look", ...SHELL, next: "ask" },
      { id: "ask", type: "condition", condition, then: "look" },
    ];
    const { imported } = load(file(steps));
    if (imported === undefined) throw new Error("it was not read as one of OpenAgents");
    expect(printImported(imported, "flow.json").match(/context\.look\.ok/g)).toHaveLength(60_000);
  });

  test("what no expression here can say is an error at its place", () => {
    const steps = [
      { id: "look", ...SHELL, next: "count" },
      { id: "count", type: "transform", transform: "look.a + look.b" },
    ];
    expect(load(file(steps)).told).toEqual([
      expect.stringMatching(/^EXPRESSION_SYNTAX: .*there is no arithmetic/),
    ]);
  });
});

test("a route to end leads nowhere, unless a step has that name [ECO-8.openagents]", () => {
  expect(load(file([{ id: "a", ...SHELL, next: "end", on_error: "end" }])).told).toEqual([]);
  const steps = [
    { id: "a", ...SHELL, next: "end" },
    { id: "end", ...SHELL },
  ];
  const { imported } = load(file(steps));
  if (imported === undefined) throw new Error("it was not read as one of OpenAgents");
  expect(printImported(imported, "flow.json")).toContain("next: end");
  expect(load(file([{ id: "a", ...SHELL, next: "ends" }])).told).toEqual([
    expect.stringMatching(/^WORKFLOW_UNKNOWN_STEP/),
  ]);
});

describe("agents that opencode has [ECO-8.openagents]", () => {
  const steps = [
    { id: "a", type: "agent", agent: "plan", next: "b" },
    { id: "b", type: "agent", agent: "build", next: "c" },
    { id: "c", type: "agent", agent: "plan" },
  ];

  test("are of opencode, and the one that plans may not change anything", () => {
    const { definition, told } = load(file(steps));
    const agents = definition !== undefined && "agents" in definition ? definition.agents : [];
    expect(agents).toEqual([
      expect.objectContaining({ id: "plan", backend: "opencode", permissionMode: "plan" }),
      expect.objectContaining({ id: "build", backend: "opencode" }),
    ]);
    expect(told).toEqual([
      "CHANGED: agent plan is an agent of opencode, which may not change files",
      "CHANGED: agent build is an agent of opencode",
    ]);
  });

  test("stand behind those that a file describes", () => {
    const agentTypes: AgentTypeFinder = {
      names: () => ["plan"],
      find: (name) =>
        name === "plan"
          ? {
              status: "found",
              type: {
                ...{ name, description: "Plans", prompt: "Plan.", file: "plan.md", source: "" },
                ...{ promptStart: 0, doubts: [] },
              },
            }
          : undefined,
    };
    const { told } = load(file(steps), { ...options, agentTypes });
    expect(told.filter((each) => each.startsWith("CHANGED"))).toEqual([
      "CHANGED: agent build is an agent of opencode",
    ]);
  });

  test("are the only ones: others have to be somewhere", () => {
    expect(load(file([{ id: "a", type: "agent", agent: "tester" }])).told).toEqual([
      expect.stringMatching(/^WORKFLOW_UNKNOWN_AGENT: .*"tester"/),
    ]);
  });
});

test("a key that OpenAgents writes in another way is refused, one that nobody knows is left out [ECO-8.openagents]", () => {
  const { told } = load(file([{ id: "a", ...SHELL }], { maxIterations: 3, colour: "red" }));
  expect(told).toEqual([
    expect.stringMatching(/^REFUSED: maxIterations .*spelled max_iterations/),
    expect.stringMatching(/^LEFT_OUT: colour/),
  ]);
});
