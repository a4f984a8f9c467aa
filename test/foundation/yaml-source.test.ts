import { describe, expect, test } from "vitest";
import { MAX_YAML_CHARS, readYaml } from "../../src/foundation/yaml-source.ts";
import { cpuMs } from "../testing/processor-time.ts";

const problems = (source: string) => readYaml(source, "f.yaml").problems;

/** Maps in maps, each on a line of its own. */
function indented(levels: number): string {
  return Array.from({ length: levels }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
}

describe("a YAML text of somebody else", () => {
  test("becomes a plain value whose members have places", () => {
    const yaml = readYaml("a:\n  - b: 1\n    c: 2\n", "f.yaml");
    expect(yaml.problems).toEqual([]);
    expect(yaml.value).toEqual({ a: [{ b: 1, c: 2 }] });
    expect(yaml.placeOf(["a", 0, "c"])).toEqual({ file: "f.yaml", line: 3, column: 8 });
    expect(yaml.placeOf(["a", 0], "c")).toEqual({ file: "f.yaml", line: 3, column: 5 });
    expect(yaml.placeOf(["a", 0, "missing"])).toEqual({ file: "f.yaml", line: 2, column: 5 });
  });

  test("is nothing wrong where it is as deep and as wide as it may be [WF-3]", () => {
    expect(problems(`${"[".repeat(64)}${"]".repeat(64)}`)).toEqual([]);
    expect(problems(`${"[".repeat(60)}${"]".repeat(60)}\n`.replace(/^/, "a: "))).toEqual([]);
    const flat = Array.from({ length: 100 }, (_, index) => `- [a, {b: ${index}}]`).join("\n");
    expect(problems(flat)).toEqual([]);
    const dashes = Array.from({ length: 100 }, () => "- - a\r\n- ? b").join("\r\n");
    expect(problems(dashes)).toEqual([]);
    expect(problems(`a: "[[[[${"[".repeat(100)}"\nb: '${"{".repeat(100)}'`)).toEqual([]);
    expect(problems(`'${"\\".repeat(100_001)}'`)).toEqual([]);
    expect(problems(indented(64))).toEqual([]);
    expect(problems(indented(65))).toEqual([
      {
        message: "nested too deeply: the most is 64 levels",
        place: { file: "f.yaml", line: 65, column: 65 },
      },
    ]);
    expect(problems("- ".repeat(64).concat("a"))).toEqual([]);
    expect(problems("- ".repeat(65).concat("a"))[0]?.message).toBe(
      "nested too deeply: the most is 64 levels",
    );
  });

  test("is told with the places of what is wrong in it, at most twenty", () => {
    expect(problems("a: 1\nb: [\n")[0]?.place).toMatchObject({ file: "f.yaml", line: 3 });
    expect(problems("x: {a: 1,\n    a: 2}")[0]?.place).toEqual({
      file: "f.yaml",
      line: 2,
      column: 5,
    });
    const twice = Array.from({ length: 50 }, () => "a: 1").join("\n");
    expect(problems(twice)).toHaveLength(20);
    const broken = Array.from({ length: 50 }, () => "a: !x 1").join("\n");
    expect(problems(broken)).toHaveLength(20);
    const unreadable = readYaml("a: 1\na: 2", "f.yaml");
    expect([unreadable.value, unreadable.placeOf(["a"])]).toEqual([undefined, { file: "f.yaml" }]);
  });

  test("has a place for what is not there: that of the nearest above", () => {
    const yaml = readYaml("a:\n  b: {c: 1}\nd: text\n", "f.yaml");
    const at = (path: readonly PropertyKey[], key?: string) => {
      const { line, column } = yaml.placeOf(path, key);
      return [line, column];
    };
    expect(at([])).toEqual([1, 1]);
    expect(at([], "d")).toEqual([3, 1]);
    expect(at(["a", "b"], "c")).toEqual([2, 7]);
    expect(at(["a", "b"], "none")).toEqual([2, 6]);
    expect(at(["a", "none", "c"], "b")).toEqual([2, 3]);
    expect(at(["none", "c"], "d")).toEqual([1, 1]);
    expect(at(["d", "x"])).toEqual([3, 4]);
    expect(readYaml("", "f.yaml").placeOf(["a"])).toEqual({ file: "f.yaml" });
  });

  test.each(["__proto__", "constructor", "prototype"])("may not have the key %s [WF-3]", (key) => {
    expect(problems(`a: { ${key}: 1 }`)).toEqual([
      {
        message: `the key "${key}" is not allowed`,
        place: { file: "f.yaml", line: 1, column: 6 },
      },
    ]);
  });

  test("may not have tags of its own, keys that stand twice or keys that are lists [WF-3]", () => {
    expect(problems("a: !!js/function x")[0]?.message).toContain("tag");
    expect(problems("a: !!binary aGk=")[0]?.message).toContain("tag");
    expect(problems("a: 1\na: 2")[0]?.message).toBe('the key "a" stands twice');
    expect(problems("? [a]\n: 2")[0]?.message).toBe("a key must be a plain text");
  });

  test("is refused, not expanded, when its aliases multiply [WF-3]", () => {
    const lines = ["a0: &a0 [x, x]"];
    for (let level = 1; level < 30; level += 1)
      lines.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
    expect(problems(lines.join("\n"))).toEqual([
      { message: expect.stringContaining("alias"), place: { file: "f.yaml" } },
    ]);
  });

  test.each([
    ["brackets", "[".repeat(4_000_000)],
    ["braces", "{a: ".repeat(1_000_000)],
    ["dashes in one line", "- ".repeat(2_000_000)],
    ["question marks in one line", "? ".repeat(2_000_000)],
    ["indentation", indented(2000)],
    ["levels that the parser can still take", `${"[".repeat(65)}${"]".repeat(65)}`],
    ["lists behind ends of none", `a: ${"]".repeat(200)}${"[".repeat(80)}`],
  ])("is refused soon when it is too deep by %s [WF-3]", (_, source) => {
    const since = cpuMs();
    expect(problems(source)[0]?.message).toContain("nested too deeply");
    expect(cpuMs() - since).toBeLessThan(1000);
  });

  test("is refused when it is too long [WF-3]", () => {
    expect(problems("x".repeat(MAX_YAML_CHARS + 1))).toEqual([
      { message: expect.stringContaining("characters"), place: { file: "f.yaml" } },
    ]);
  });

  test.each([
    ["marks", "[a, ".concat("a, ".repeat(200_000), "]")],
    ["escapes", `"${"\\q".repeat(200_000)}"`],
  ])("is refused before it is parsed when it has too many %s [WF-3]", (_, source) => {
    expect(problems(source)[0]?.message).toMatch(/^too (large|many)/);
  });

  test("with 20,000 keys in one map is read in linear time", () => {
    const source = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n");
    const since = cpuMs();
    expect(problems(source)).toEqual([]);
    expect(cpuMs() - since).toBeLessThan(2500);
  });
});
