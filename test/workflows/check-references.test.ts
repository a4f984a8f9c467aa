import { describe, expect, test } from "vitest";
import { fileWith, load, problemsOf } from "./load-options.ts";

/** A dag over agents a and b with these lines as its steps, from line 5 on. */
const steps = (...lines: readonly string[]) =>
  `name: flow\npattern: dag\nagents: [{ id: a }, { id: b }]\nsteps:\n${lines.map((line) => `  - { ${line} }`).join("\n")}\n`;
const ordered = (pattern: string, ...lines: readonly string[]) =>
  steps(...lines).replace("pattern: dag", `pattern: ${pattern}`);
const both = "id: y, agent: b";

describe("ids", () => {
  test.each(["1a", "a.b", "a b", "-a", "ä", `"${"a".repeat(65)}"`])(
    "%s is no id of a step [WF-2.load, T8]",
    (id) => {
      const found = problemsOf(fileWith(`steps: [{ id: ${id} }]`));
      expect(found).toEqual([expect.stringMatching(/^WORKFLOW_ID 4:15 /)]);
    },
  );

  test("system, user, human and all are no agents, in any case [WF-2.load]", () => {
    const text =
      "name: flow\npattern: fan-out\nagents: [{ id: System }, { id: user }, { id: HUMAN }, { id: all }]";
    expect(load(text).problems.map(({ code }) => code)).toEqual(
      Array.from({ length: 4 }, () => "WORKFLOW_RESERVED_ID"),
    );
  });

  test("agents that differ only in case are the same agent, steps are not [WF-2.load]", () => {
    const text = "name: flow\npattern: dag\nagents: [{ id: a }, { id: A }]\n";
    expect(problemsOf(text)).toEqual([
      'WORKFLOW_DUPLICATE_ID 3:27 the agents "a" and "A" differ only in case',
    ]);
    expect(problemsOf(fileWith("steps: [{ id: s }, { id: S }]"))).toEqual([]);
    expect(problemsOf(fileWith("steps: [{ id: s }, { id: s }]"))).toEqual([
      'WORKFLOW_DUPLICATE_ID 4:26 there are two steps or barriers "s"',
    ]);
  });
});

describe("references", () => {
  test("every unknown agent is reported at its place [WF-1, WF-2.load]", () => {
    const text = `${steps("id: x, agent: aa, fallback: [b, c]", "id: y, agent: B, dependsOn: [z]")}errorHandling: { escalateTo: lead }
coordination: { barriers: [{ id: open, waitFor: [a, boss] }] }
`;
    expect(problemsOf(text.replace("{ id: b }", "{ id: b, reportsTo: chief }"))).toEqual([
      'WORKFLOW_UNKNOWN_AGENT 3:41 agent "b" reports to "chief", which is not defined',
      'WORKFLOW_UNKNOWN_AGENT 5:21 step "x" uses agent "aa", which is not defined',
      'WORKFLOW_UNKNOWN_AGENT 5:39 step "x" falls back to agent "c", which is not defined',
      'WORKFLOW_UNKNOWN_STEP 6:36 step "y" depends on "z", which is not defined',
      'WORKFLOW_UNKNOWN_AGENT 7:30 errorHandling escalates to agent "lead", which is not defined',
      'WORKFLOW_BARRIER_UNREACHABLE 8:34 barrier "open" can never open: a would have to signal before it opens, but has no step that starts earlier',
      'WORKFLOW_UNKNOWN_AGENT 8:53 barrier "open" waits for agent "boss", which is not defined',
    ]);
  });

  test("a step needs an agent when there are several [WF-2.load]", () => {
    expect(problemsOf(steps("id: x", "id: y, agent: a", "id: z, agent: b"))).toEqual([
      'WORKFLOW_STEP_WITHOUT_AGENT 5:11 step "x" names no agent, and there are several',
    ]);
  });

  test("an agent that no step uses is a warning, and the workflow still loads", () => {
    const { definition, problems } = load(steps("id: x, agent: a"));
    expect(definition).toBeDefined();
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
      ["WORKFLOW_UNUSED_AGENT", "warning"],
    ]);
  });
});

describe("order", () => {
  test("a cycle is named node by node, with all places that close it [WF-2.load]", () => {
    const { problems } = load(
      steps(
        "id: one, agent: a, dependsOn: [three]",
        "id: two, agent: b, dependsOn: [one]",
        "id: three, agent: a, dependsOn: [two]",
        "id: behind, agent: a, dependsOn: [three]",
      ),
    );
    expect(problems).toEqual([
      {
        code: "WORKFLOW_CYCLE",
        severity: "error",
        message: "steps wait for each other: one → three → two → one",
        hint: "remove one of these; what should be tried again takes maxRetries",
        file: "flow.yaml",
        line: 5,
        column: 38,
        endColumn: 43,
        label: "one waits for three",
        related: [
          { line: 7, column: 40, endColumn: 43, label: "three waits for two" },
          { line: 6, column: 38, endColumn: 41, label: "two waits for one" },
        ],
      },
    ]);
  });

  test("a step that waits for itself and two separate cycles are three problems [WF-2.load]", () => {
    const text = steps(
      "id: me, agent: a, dependsOn: [me]",
      "id: p, agent: a, dependsOn: [q]",
      "id: q, agent: a, dependsOn: [p]",
      "id: r, agent: b, dependsOn: [s]",
      "id: s, agent: b, dependsOn: [r]",
    );
    expect(load(text).problems.map(({ message }) => message)).toEqual([
      "steps wait for each other: me → me",
      "steps wait for each other: p → q → p",
      "steps wait for each other: r → s → r",
    ]);
  });

  test("agents that report to each other are a cycle [WF-2.load]", () => {
    const text =
      "name: flow\npattern: fan-out\nagents: [{ id: a, reportsTo: b }, { id: b, reportsTo: a }]";
    expect(problemsOf(text)).toEqual([
      "WORKFLOW_CYCLE 3:30 agents report to each other: a → b → a",
    ]);
  });

  test("dependsOn cannot contradict the list of a pipeline; in a fan-out it makes a step wait [WF-2.load, WF-10.order, PAT-steps-2.fan-out]", () => {
    expect(
      problemsOf(ordered("pipeline", "id: x, agent: a, dependsOn: [y]", `${both}, dependsOn: [x]`)),
    ).toEqual([
      'WORKFLOW_ORDER 5:36 step "x" comes before "y" in the list, which pipeline follows',
    ]);
    expect(problemsOf(ordered("fan-out", "id: x, agent: a, dependsOn: [y]", both))).toEqual([]);
  });

  test("coordination.mode must be what the pattern does, where the pattern says it [WF-10.order, PAT-steps-2.mode]", () => {
    const mode = (pattern: string, value: string) =>
      problemsOf(fileWith(`coordination: { mode: ${value} }`, pattern));
    expect([mode("dag", "dag"), mode("pipeline", "sequential")]).toEqual([[], []]);
    for (const free of ["dag", "sequential", "parallel"]) expect(mode("fan-out", free)).toEqual([]);
    expect(mode("dag", "parallel")).toEqual([
      'WORKFLOW_ORDER 4:23 coordination.mode "parallel" contradicts the pattern dag, whose mode is dag',
    ]);
    expect(mode("pipeline", "dag")).toEqual([
      'WORKFLOW_ORDER 4:23 coordination.mode "dag" contradicts the pattern pipeline, whose mode is sequential',
    ]);
  });

  test("receivesPreviousOutput is refused where no step is the previous one [WF-10.order]", () => {
    const text = (pattern: string) =>
      fileWith("steps: [{ id: s, receivesPreviousOutput: false }]", pattern);
    expect(load(text("pipeline")).definition?.steps[0]?.receivesPreviousOutput).toBe(false);
    expect(problemsOf(text("dag"))).toEqual([
      expect.stringMatching(/^WORKFLOW_ORDER 4:18 receivesPreviousOutput has no meaning in dag/),
    ]);
  });
});

describe("barriers", () => {
  const barrier = (type: string, ...lines: readonly string[]) =>
    problemsOf(
      `${steps(...lines)}coordination: { barriers: [{ id: open, waitFor: [a, b], type: ${type} }] }\n`,
    );
  const waiting = ["id: x, agent: a, dependsOn: [open]", "id: y, agent: b"];

  test("opens only if its agents can signal before it does [WF-2.load, WF-10.barriers]", () => {
    expect(barrier("any", ...waiting)).toEqual([]);
    expect(barrier("all", "id: w, agent: a", ...waiting)).toEqual([]);
    for (const type of ["all", "majority"])
      expect(barrier(type, ...waiting)).toEqual([
        expect.stringMatching(
          /^WORKFLOW_BARRIER_UNREACHABLE 7:34 barrier "open" can never open: a /,
        ),
      ]);
  });

  test("counts what lies behind it through other steps [WF-2.load]", () => {
    expect(
      barrier("all", "id: x, agent: a, dependsOn: [open]", "id: y, agent: b, dependsOn: [x]"),
    ).toEqual([expect.stringMatching(/^WORKFLOW_BARRIER_UNREACHABLE .* a, b would have/)]);
  });
});

describe("variables", () => {
  const prompt = (text: string, pattern = "dag") =>
    problemsOf(
      ordered(
        pattern,
        "id: first, agent: a",
        `id: second, agent: b, prompt: "${text}"`,
        "id: third, agent: a",
      ),
    );

  test("a step's output can be used by steps that certainly come later only [WF-2.load, WF-4]", () => {
    expect(prompt("{{steps.first.output}}", "pipeline")).toEqual([]);
    expect(prompt("{{steps.third.text}}", "pipeline")).toEqual([
      'WORKFLOW_NOT_UPSTREAM 6:38 {{steps.third.text}} needs step "third", which comes later in the list',
    ]);
    expect(prompt("{{steps.first.output}}")).toEqual([
      'WORKFLOW_NOT_UPSTREAM 6:38 {{steps.first.output}} needs step "first", which this step does not wait for',
    ]);
    expect(prompt("{{steps.first.output}}", "fan-out")).toEqual([
      'WORKFLOW_NOT_UPSTREAM 6:38 {{steps.first.output}} needs step "first", which this step does not wait for',
    ]);
    expect(prompt("{{steps.second.output}}")).toEqual([
      'WORKFLOW_NOT_UPSTREAM 6:38 {{steps.second.output}} needs step "second", which is this step itself',
    ]);
  });

  test("dependsOn reaches through other steps [WF-4]", () => {
    expect(
      problemsOf(
        steps(
          "id: one, agent: a",
          "id: two, agent: b, dependsOn: [one]",
          'id: three, agent: a, dependsOn: [two], prompt: "{{steps.one.status}}", when: "steps.one.attempts > 1"',
        ),
      ),
    ).toEqual([]);
  });

  test("every unknown variable is reported at its place, with a near name [WF-1, WF-4]", () => {
    const { problems } = load(
      fileWith(`params: { target: { type: string } }
steps:
  - id: one
    prompt: |
      Look at {{params.traget}}
        and {{ tsk }} and {{tsk}}
      \\{{tsk}} \${{ tsk }}`),
    );
    expect(
      problems.map(({ code, line, column, endColumn, hint }) => [
        code,
        line,
        column,
        endColumn,
        hint?.split("  ")[0],
      ]),
    ).toEqual([
      ["WORKFLOW_UNKNOWN_VARIABLE", 8, 15, 32, 'did you mean "params.target"?'],
      ["WORKFLOW_UNKNOWN_VARIABLE", 9, 13, 22, 'did you mean "task"?'],
      ["WORKFLOW_UNKNOWN_VARIABLE", 9, 27, 34, 'did you mean "task"?'],
    ]);
  });

  test("agents and the channel know only what is known at the start [WF-4]", () => {
    const text = `name: flow
pattern: pipeline
agents:
  - { id: a, backend: command, command: ["x", "{{task}} {{params.p}} {{steps.s.output}}"], env: { X: "{{nope}}" } }
params: { p: { type: string } }
steps: [{ id: s }]
options: { channel: "c-{{id}}-{{task}}" }
`;
    expect(problemsOf(text)).toEqual([
      'WORKFLOW_NOT_UPSTREAM 4:70 {{steps.s.output}} needs step "s", but an agent is set up before any step is done',
      "WORKFLOW_UNKNOWN_VARIABLE 4:103 variable {{nope}} is not set",
      "WORKFLOW_UNKNOWN_VARIABLE 7:31 variable {{task}} is not set",
    ]);
  });

  test("conditions are parsed and their paths checked at load [WF-2.load, WF-5]", () => {
    const when = (text: string) =>
      problemsOf(
        steps("id: one, agent: a", `id: two, agent: b, dependsOn: [one], when: '${text}'`),
      );
    expect(when('steps["one"].outcome == "x" && length(task) > 1')).toEqual([]);
    expect(when('steps.one.staus == "x"')).toEqual([
      'EXPRESSION_UNKNOWN_PATH 6:51 there is never a value at "steps.one.staus"',
    ]);
    expect(when('steps.on.status == "x"')).toEqual([
      'WORKFLOW_UNKNOWN_STEP 6:51 steps.on.status names step "on", which is not defined',
    ]);
    expect(when("steps.one.status = 1")).toEqual([
      expect.stringMatching(/^EXPRESSION_SYNTAX 6:68 /),
    ]);
    expect(when('matches(task, "(?=x)") && exists(ghost)')).toEqual([
      expect.stringMatching(/^EXPRESSION_REGEX 6:65 /),
      'EXPRESSION_UNKNOWN_PATH 6:84 there is never a value at "ghost"',
    ]);
  });
});

test("the name of an agent cannot say what git says, its other texts can [LANG-10.start]", () => {
  const agent = (texts: string) =>
    problemsOf(
      `name: w\npattern: dag\nagents: [{ id: a, ${texts} }]\nsteps: [{ id: s, agent: a }]\n`,
    );
  expect(agent('name: "on {{git.branch}}"')).toEqual([
    expect.stringContaining("WORKFLOW_UNKNOWN_VARIABLE"),
  ]);
  expect(agent('name: "{{task}}", env: { B: "{{git.branch}}" }')).toEqual([]);
});
