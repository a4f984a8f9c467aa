import { expect, test } from "vitest";
import type { FormatOptions } from "../../src/workflows/problems/format-problems.ts";
import { formatProblems } from "../../src/workflows/problems/format-problems.ts";
import { fileWith, load } from "./load-options.ts";

const TEXT = fileWith(
  "steps: [{ id: one, agent: b, dependsOn: [two] }, { id: two, dependsOn: [one] }]",
);
const { problems } = load(TEXT);
const options: FormatOptions = { sources: new Map([["flow.yaml", TEXT]]), version: "0.1.0" };

test("json is one object with ok and problems [WF-1]", () => {
  expect(JSON.parse(formatProblems(problems, "json", options))).toEqual({
    v: 1,
    ok: false,
    problems: [
      {
        code: "WORKFLOW_UNKNOWN_AGENT",
        severity: "error",
        message: 'step "one" uses agent "b", which is not defined',
        file: "flow.yaml",
        line: 4,
        column: 27,
        endColumn: 28,
        hint: 'did you mean "a"?  defined: a',
      },
      expect.objectContaining({ code: "WORKFLOW_CYCLE", line: 4, column: 42 }),
    ],
  });
});

test("ok is true when there are only warnings, or nothing [WF-1]", () => {
  const warnings = problems.map((problem) => ({ ...problem, severity: "warning" as const }));
  expect(JSON.parse(formatProblems(warnings, "json", options))).toMatchObject({ ok: true });
  expect(formatProblems([], "json", options)).toBe('{"v":1,"ok":true,"problems":[]}');
  expect(formatProblems([], "text", options)).toBe("");
});

test("github prints one escaped workflow command per problem [WF-1]", () => {
  const [problem] = problems;
  if (problem === undefined) throw new Error("no problem");
  const hostile = { ...problem, file: "a,b:c.yaml", message: "100%\n::error::x", hint: "h" };
  expect(formatProblems([hostile], "github", options)).toBe(
    "::error file=a%2Cb%3Ac.yaml,line=4,col=27,endColumn=27,title=WORKFLOW_UNKNOWN_AGENT::100%25%0A::error::x%0Ah",
  );
});

test("sarif is a 2.1.0 log with rules, places and related places [WF-1]", () => {
  const log = JSON.parse(formatProblems(problems, "sarif", options));
  expect(log).toMatchObject({ version: "2.1.0" });
  expect(log.runs[0].tool.driver).toEqual({
    name: "troupe",
    version: "0.1.0",
    rules: [{ id: "WORKFLOW_UNKNOWN_AGENT" }, { id: "WORKFLOW_CYCLE" }],
  });
  expect(log.runs[0].results[1]).toMatchObject({
    ruleId: "WORKFLOW_CYCLE",
    ruleIndex: 1,
    level: "error",
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: "flow.yaml" },
          region: { startLine: 4, startColumn: 42, endColumn: 45 },
        },
      },
    ],
    relatedLocations: [{ message: { text: "two waits for one" } }],
  });
});

test("text is one frame per problem [WF-1]", () => {
  const text = formatProblems(problems, "text", options);
  expect(text.match(/^error\[/gm)).toHaveLength(2);
  expect(text).toContain("\n\nerror[WORKFLOW_CYCLE]");
});
