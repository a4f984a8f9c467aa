import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LoadedWorkflow, parseWorkflow } from "../../src/workflows/parse-workflow.ts";
import { processorMs } from "../testing/processor-time.ts";
import { load, loadOptions } from "./load-options.ts";

const MIB = 1_048_576;
const fill = (piece: string, chars = MIB) => piece.repeat(Math.floor(chars / piece.length));
const numbered = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const bomb = `a0: &a0 x\n${numbered(25, (index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`)}`;
const head = "name: f\npattern: dag\nagents: [{ id: a }]\n";

type Hostile = readonly [name: string, text: string, file?: string];

const HOSTILE: readonly Hostile[] = [
  ["an alias bomb", bomb],
  [
    "an alias bomb of nine times nine",
    numbered(
      9,
      (index) => `l${index}: &l${index} [${fill(index === 0 ? "x," : `*l${index - 1},`, 36)}]`,
    ),
  ],
  ["100,000 brackets", fill("[", 100_000)],
  ["100,000 braces in JSON", fill('{"a":', 500_000), "f.json"],
  ["brackets only", fill("[")],
  ["closing brackets only", fill("]")],
  ["dashes only", fill("- ")],
  ["question marks only", fill("? ")],
  ["anchors only", fill("&a ")],
  ["tags only", fill("!a ")],
  ["aliases of one anchor", `a: &a x\nb: [${fill("*a,")}]`],
  ["quotes only", fill('"')],
  ["bad escapes only", `"${fill("\\x")}"`],
  ["100,000 keys", numbered(100_000, (index) => `k${index}: 1`).slice(0, MIB)],
  ["many documents", fill("---\n")],
  ["many lines", `a: |\n${fill("  x\n")}`],
  ["a text of one character per line", fill("a\n")],
  ["tabs only", fill("\t")],
  ["deep indentation", numbered(1400, (index) => `${" ".repeat(index)}a:`)],
  ["100,000 items in JSON", `[${fill('"a",')}]`, "f.json"],
  ["an open comment in JSON", fill("/*"), "f.json"],
  ["an open text in JSON", `"${fill("\\\\")}`, "f.json"],
  [
    "unknown agents",
    `${head}steps:\n${numbered(1500, (index) => `- {id: s${index}, agent: b${index}}`)}`,
  ],
  [
    "misspelt dependencies",
    `${head}steps:\n${numbered(1000, (index) => `- {id: step${index}, dependsOn: [stop${index}]}`)}`,
  ],
  [
    "misspelt variables",
    `${head.replace("dag", "pipeline")}steps:\n${numbered(1000, (index) => `- {id: step${index}, prompt: "{{steps.s.output${index}}}"}`)}`,
  ],
  [
    "one cycle of all steps",
    `${head}steps:\n${numbered(1500, (index) => `- {id: s${index}, dependsOn: [s${(index + 1) % 1500}]}`)}`,
  ],
  ["a template of faults", `${head}steps: [{ id: s, prompt: "${fill("{{", 500_000)}" }]`],
  ["a huge condition", `${head}steps: [{ id: s, when: "${fill("(", 500_000)}" }]`],
  [
    "misspelt variables of a kickoff",
    `agents: { a: {} }\nkickoff: "${fill("${{ x }} ", 900_000)}"`,
  ],
  ["mentions of nobody", `context:\nagents: { a: {} }\nkickoff: "${fill("@x ", 40_000)}"`],
  ["a huge id", `${head}steps: [{ id: ${fill("a", 500_000)}, agent: ${fill("b", 400_000)} }]`],
];

describe("a hostile file", () => {
  test.each(HOSTILE.map(([name, text, file = "f.yaml"]) => [name, text, file] as const))(
    "of %s is refused within 200 ms [WF-3, T9, P18]",
    (_, text, file) => {
      let loaded: LoadedWorkflow = load("");
      const took = processorMs(200, () => {
        loaded = parseWorkflow(text, file, loadOptions);
      });
      expect(took).toBeLessThan(200);
      expect(loaded.definition).toBeUndefined();
      expect(loaded.problems.length).toBeGreaterThan(0);
    },
  );

  test("cannot reach prototypes through its keys [WF-3, T10]", () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      const yaml = load(`${head}x-a: { deep: [{ ${key}: { polluted: true } }] }\n`);
      expect(yaml.definition, key).toBeUndefined();
      expect(yaml.problems.map(({ code, line, column }) => [code, line, column])).toEqual([
        ["WORKFLOW_FORBIDDEN_KEY", 4, 17],
      ]);
      const json = parseWorkflow(`{ "${key}": {}, "pattern": "dag" }`, "f.json", loadOptions);
      expect(json.problems.map(({ code }) => code)).toContain("WORKFLOW_FORBIDDEN_KEY");
    }
    expect("polluted" in {}).toBe(false);
  });

  test("has no tags, no merge keys, no second document and no control characters [WF-3]", () => {
    const codes = (text: string) => load(text).problems.map(({ code, line }) => `${code} ${line}`);
    expect(codes(`${head}description: !!str 5\n`)).toEqual(["WORKFLOW_TAG 4"]);
    expect(codes(`${head}description: !!js/function "x"\n`)).toEqual(["WORKFLOW_TAG 4"]);
    expect(codes(`${head}<<: { tags: [a] }\n`)).toEqual(["WORKFLOW_UNKNOWN_KEY 4"]);
    expect(codes(`${head}---\nname: g\n`)).toEqual(["WORKFLOW_SYNTAX 4"]);
    expect(codes(`${head}description: "a\u0000b"\n`)).toEqual(["WORKFLOW_SYNTAX 4"]);
  });

  test("may use a few aliases", () => {
    const { definition } = load(
      `x-env: &env { CI: "1" }\nname: f\npattern: fan-out\nagents: [{ id: a, env: *env }, { id: b, env: *env }]\n`,
    );
    expect(definition?.agents.map(({ env }) => env)).toEqual([{ CI: "1" }, { CI: "1" }]);
  });
});

test("no text makes loading fail without a problem [WF-1, WF-3]", () => {
  const pieces = [
    ...["name", "pattern", "dag", "agents", "steps", "id", "dependsOn", "prompt", "when", "verify"],
    ...[
      ": ",
      "\n",
      "\n  ",
      "\n  - ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      ",",
      '"',
      "'",
      "|",
      ">",
      "&a",
      "*a",
      "!t",
      "#",
    ],
    ...[
      "null",
      "true",
      "1",
      "{{task}}",
      "{{",
      "steps.s.output",
      "\t",
      "\r\n",
      "\ufeff",
      "\ud800",
      "👍",
    ],
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((list) => list.join(""));
  fc.assert(
    fc.property(text, fc.boolean(), (rest, isJson) => {
      const source = isJson ? rest : `${head}${rest}`;
      const { definition, problems } = parseWorkflow(
        source,
        isJson ? "f.json" : "f.yaml",
        loadOptions,
      );
      expect(definition !== undefined || problems.length > 0).toBe(true);
      for (const { line, column, endColumn } of problems) {
        expect(line).toBeGreaterThan(0);
        expect(column).toBeGreaterThan(0);
        expect(endColumn).toBeGreaterThan(column);
      }
    }),
    { numRuns: 1500, seed: 3 },
  );
});
