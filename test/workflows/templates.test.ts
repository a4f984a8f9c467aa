import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadWorkflowFile } from "../../src/workflows/load-workflow.ts";
import type { LoadOptions } from "../../src/workflows/resolve/load-options.ts";
import {
  builtInTemplates,
  readTemplate,
  repeatLines,
} from "../../src/workflows/templates/built-in-templates.ts";
import { load, problemsOf, readOptions } from "./load-options.ts";

const from = (template: string, ...overrides: readonly string[]) =>
  [
    "name: mine",
    `template: ${template}`,
    ...(overrides.length === 0 ? [] : ["overrides:", ...overrides.map((line) => `  ${line}`)]),
  ].join("\n");

describe("every template", () => {
  test.each(builtInTemplates)(
    "$name is a workflow without a problem, written out or named [WF-6.overrides]",
    (template) => {
      const written = load(readTemplate(template));
      expect(written.problems).toEqual([]);
      const named = load(from(template.name));
      expect(named.problems).toEqual([]);
      expect({ ...named.definition, name: template.name }).toEqual(written.definition);
    },
  );

  test.each(builtInTemplates)(
    "$name fixes no backend and asks for a task [WF-6.overrides, WF-12.order]",
    (template) => {
      const definition = load(readTemplate(template), { defaultBackend: "codex" }).definition;
      expect(new Set(definition?.agents.map(({ backend }) => backend))).toEqual(new Set(["codex"]));
      for (const step of definition?.steps ?? []) expect(step.prompt).toContain("{{task}}");
    },
  );

  test("the pattern, the agents and the steps are those that the format names [WF-6.overrides, WF-6.patterns]", () => {
    const shapes = builtInTemplates.map((template) => {
      const { definition } = load(readTemplate(template));
      return [
        template.name,
        definition?.pattern,
        definition?.agents.map(({ id }) => id).join(" "),
        definition?.steps.map(({ id }) => id).join(" "),
      ];
    });
    expect(shapes).toEqual([
      ["feature-dev", "hub-spoke", "lead developer reviewer", "plan implement review finalize"],
      ["bug-fix", "hub-spoke", "lead investigator fixer", "investigate fix verify"],
      [
        "code-review",
        "fan-out",
        "reviewer-1 reviewer-2 reviewer-3",
        "analyze-1 analyze-2 analyze-3 report",
      ],
      [
        "security-audit",
        "pipeline",
        "scanner analyst fixer verifier",
        "scan prioritize fix verify",
      ],
      ["refactor", "pipeline", "analyst planner implementer", "analyze plan execute"],
      [
        "brainstorm",
        "mesh",
        "peer-1 peer-2 peer-3",
        "think-1 think-2 think-3 build-1 build-2 build-3 summarize",
      ],
    ]);
  });
});

describe("the param count", () => {
  const agentsOf = (text: string, options: Partial<LoadOptions> = {}) =>
    load(text, options).definition?.agents.length;

  test("the command line beats the file, and the file the template [WF-6.overrides, WF-16]", () => {
    expect(agentsOf(from("code-review"))).toBe(3);
    expect(agentsOf(from("code-review", "count: 5"))).toBe(5);
    expect(agentsOf(from("code-review", "count: 5"), { params: { count: "2" } })).toBe(2);
    expect(agentsOf(from("brainstorm"), { params: { count: 1 } })).toBe(1);
  });

  test("every number in the bounds gives a workflow without a problem [WF-16]", () => {
    for (const template of builtInTemplates) {
      if (template.count === undefined) continue;
      const { most } = template.count;
      const counts = Array.from({ length: most }, (_, index) => index + 1);
      const problems = counts.map((count) => load(readTemplate(template, count)).problems);
      expect(problems.flat()).toEqual([]);
    }
  });

  test.each(["0", "10", "-1", "1.5", "many", "", "1e1", 2.5, true, null, [3], { a: 1 }])(
    "%j reviewers are refused [WF-16]",
    (count) => {
      const { definition, problems } = load(from("code-review"), { params: { count } });
      expect(definition).toBeUndefined();
      expect(problems).toMatchObject([{ code: "WORKFLOW_TEMPLATE_COUNT", line: 2 }]);
    },
  );

  test("a template with a fixed team leaves it to the params of the run [WF-16]", () => {
    const loaded = load(from("refactor"), { params: { count: 5 } });
    expect(loaded).toMatchObject({ problems: [], usedParams: [] });
    expect(problemsOf(from("refactor", "count: 5"))).toEqual([
      'WORKFLOW_UNKNOWN_OVERRIDE 4:3 the override "count" leads nowhere: a workflow has no "count"',
    ]);
  });
});

describe("overrides", () => {
  test("change values at their paths, also where the template has none [WF-6.overrides]", () => {
    const { definition, problems } = load(
      from(
        "feature-dev",
        "agents.developer.cli: codex",
        "agents.reviewer.env.REVIEW_DEPTH: full",
        "steps.plan.maxRetries: 5",
        "steps.review.verify: [{ outputMatches: verdict }]",
        "options.timeout: 30m",
        "options.maxConcurrency: 2",
        "errorHandling.onFailure: pause",
      ),
    );
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({
      name: "mine",
      timeoutMs: 1_800_000,
      maxConcurrency: 2,
      onFailure: "pause",
    });
    const backends = definition?.agents.map(({ id, backend }) => [id, backend]);
    expect(backends).toEqual([
      ["lead", "claude"],
      ["developer", "codex"],
      ["reviewer", "claude"],
    ]);
    expect(definition?.agents[2]?.env).toEqual({ REVIEW_DEPTH: "full" });
    expect(definition?.steps.map(({ maxAttempts }) => maxAttempts)).toEqual([6, 2, 2, 2]);
    expect(definition?.steps[2]?.verify).toEqual([{ kind: "outputMatches", pattern: "verdict" }]);
  });

  test.each([
    ["agents.developr.cli", 'agents has no "developr"', '"developer"?'],
    ["steps.implment.timeout", 'steps has no "implment"', '"implement"?'],
    ["steps.plan.maxRetrys", 'steps.plan has no "maxRetrys"', '"maxRetries"?'],
    ["option.timeout", 'a workflow has no "option"', '"options"?'],
    ["steps.plan.prompt.first", 'steps.plan.prompt has no "first"', "an override names a key"],
    ["steps.0.timeout", 'steps has no "0"', "known: plan, implement"],
    ["steps.plan.verify.0", 'steps.plan.verify has no "0"', "an override names a key"],
    ["", 'a workflow has no ""', ""],
    [".", 'a workflow has no ""', ""],
    ["agents.", 'agents has no ""', ""],
    ["agents.lead..cli", 'agents.lead has no ""', ""],
    ["agents.__proto__.cli", 'agents has no "__proto__"', ""],
    ["agents.lead.env.__proto__", 'agents.lead.env has no "__proto__"', ""],
    ["agents.lead.env.constructor", 'agents.lead.env has no "constructor"', ""],
    ["params.prototype.default", 'params has no "prototype"', ""],
    ["toString.length", 'a workflow has no "toString"', ""],
    ["agents.length", 'agents has no "length"', ""],
  ])(
    "the path %j leads nowhere and says so at its place [WF-6.overrides, T10]",
    (path, problem, hint) => {
      const { definition, problems } = load(from("feature-dev", `${JSON.stringify(path)}: x`));
      expect(definition).toBeUndefined();
      expect(problems).toMatchObject([
        {
          code: "WORKFLOW_UNKNOWN_OVERRIDE",
          message: expect.stringContaining(problem),
          hint: expect.stringContaining(hint),
          line: 4,
          column: 3,
        },
      ]);
      expect(Object.hasOwn(Object.prototype, "cli")).toBe(false);
    },
  );

  test("a key that no object may have is refused by the parser already [WF-3, T10]", () => {
    expect(problemsOf(from("feature-dev", "__proto__: { cli: codex }"))[0]).toMatch(
      /^WORKFLOW_FORBIDDEN_KEY 4:3 /,
    );
  });

  test.each([
    ["agents: { developer: { cli: codex } }", "would replace a whole list"],
    ["steps: []", "would replace a whole list"],
    ["name: other", "changes what the file says of itself"],
    ["version: 2", "changes what the file says of itself"],
  ])("%s is refused [WF-6.overrides]", (line, problem) => {
    expect(load(from("feature-dev", line)).problems).toMatchObject([
      { code: "WORKFLOW_OVERRIDE_CONFLICT", message: expect.stringContaining(problem), line: 4 },
    ]);
  });

  test("two overrides of the same value are refused, whichever comes first [WF-6.overrides]", () => {
    const lines = ["steps.plan.verify: []", "steps.plan: { id: plan, agent: lead }"];
    for (const [first = "", second = ""] of [lines, lines.toReversed()])
      expect(load(from("feature-dev", first, second)).problems).toMatchObject([
        { code: "WORKFLOW_OVERRIDE_CONFLICT", line: 5 },
      ]);
  });

  test("what is wrong is told where the override stands, or where the template is named [WF-6.overrides, WF-1]", () => {
    const lines = ["steps.plan.maxRetries: many", "steps.review.dependsOn: [plan]"];
    expect(problemsOf(from("feature-dev", ...lines))).toEqual([
      'WORKFLOW_NOT_UPSTREAM 2:11 {{steps.implement.output}} needs step "implement", which this step does not wait for',
      "WORKFLOW_TYPE 4:26 steps.plan.maxRetries must be a number, got a text",
    ]);
  });

  test("a directory that leaves the project through a link is refused [WF-2.load, T8]", async () => {
    const root = mkdtempSync(join(tmpdir(), "troupe-template-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, "project"));
    symlinkSync("..", join(root, "project", "out"));
    const file = join(root, "project", "flow.yaml");
    writeFileSync(file, from("feature-dev", "agents.developer.cwd: out"));
    const loaded = await loadWorkflowFile(file, {
      ...readOptions,
      projectRoot: join(root, "project"),
    });
    expect(loaded.definition).toBeUndefined();
    expect(loaded.problems).toMatchObject([{ code: "WORKFLOW_PATH_OUTSIDE", line: 4 }]);
  });
});

describe("a file that starts from a template", () => {
  test("keeps its own name, description, tags and keys [WF-6.overrides, WF-14]", () => {
    const { definition, problems } = load(
      'version: "1.0"\nname: mine\ndescription: Ours\ntags: [ours]\nx-owner: me\ntemplate: refactor\n',
    );
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({ name: "mine", description: "Ours", pattern: "pipeline" });
  });

  test.each([
    ["template: feature-dve", "WORKFLOW_UNKNOWN_TEMPLATE", 'did you mean "feature-dev"?'],
    ["template: ../../etc/passwd", "WORKFLOW_UNKNOWN_TEMPLATE", "templates: feature-dev"],
    ["template: __proto__", "WORKFLOW_UNKNOWN_TEMPLATE", "templates: feature-dev"],
    ["template: [feature-dev]", "WORKFLOW_VALUE", "feature-dev"],
    ["template: feature-dev\nagents: [{ id: a }]", "WORKFLOW_TEMPLATE_KEY", "overrides"],
    ["template: feature-dev\npattern: dag", "WORKFLOW_TEMPLATE_KEY", "overrides"],
    ["template: feature-dev\noverides: {}", "WORKFLOW_UNKNOWN_KEY", 'did you mean "overrides"?'],
    ["template: feature-dev\noverrides: [a]", "WORKFLOW_TYPE", ""],
  ])("%j is refused with %s [WF-6.overrides]", (lines, code, hint) => {
    const { definition, problems } = load(`name: mine\n${lines}`);
    expect(definition).toBeUndefined();
    expect(problems[0]).toMatchObject({ code });
    expect(problems[0]?.hint ?? "").toContain(hint);
  });

  test("must have a name [WF-6.overrides]", () => {
    expect(problemsOf("template: refactor")).toEqual([
      'WORKFLOW_MISSING_KEY 1:1 the key "name" is missing in the workflow',
    ]);
  });
});

test("lines are repeated with their numbers, blocks in blocks too [WF-16]", () => {
  const text =
    "of <count>\n# repeat n\n- <n>\n  # repeat m\n  <n><m>\n  # end\n# end\n# repeat n\n<n>!\n# end\n.";
  expect(repeatLines(text, 2).split("\n")).toEqual([
    "of 2",
    ...["- 1", "  11", "  12", "- 2", "  21", "  22"],
    ...["1!", "2!", "."],
  ]);
});
