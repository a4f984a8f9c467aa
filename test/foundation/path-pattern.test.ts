import { expect, test } from "vitest";
import {
  isLiteral,
  matchesPath,
  matchesWholePath,
  patternProblem,
  staticDirectory,
} from "../../src/foundation/path-pattern.ts";
import { processorMs } from "../testing/processor-time.ts";

test.each([
  ["src/**", ["src/a", "src/a/b.ts"], ["lib/a", "srcs/a"]],
  ["src", ["src", "src/a", "src/a/b"], ["a/src", "srcs"]],
  ["src/", ["src/a"], ["srcs/a"]],
  ["./src/a", ["src/a"], ["a"]],
  ["**/*.test.ts", ["a.test.ts", "x/y/a.test.ts"], ["a.ts", "a.test.tsx/b.js"]],
  ["**", ["a", "a/b"], []],
  ["a/**/z", ["a/z", "a/b/z", "a/b/c/z/deep"], ["a", "z"]],
  ["*.ts", ["a.ts", ".ts"], ["a/b.ts"]],
  ["a*", ["a", "ab", "a/b"], ["ba", "ba/a"]],
  ["a?c", ["abc"], ["ac", "a/c", "abbc"]],
  ["[ab].ts", ["[ab].ts"], ["a.ts"]],
  ["package.json", ["package.json"], ["a/package.json", "Package.json", "a-package.json"]],
  ["a**b", ["ab", "axxb"], ["a/b"]],
  // Names may hold what stands for others in patterns.
  ["*.lock", ["*x.lock", "**.lock", "?.lock", "*.lock"], ["*.lockx"]],
  ["**/*", ["*?[a]", "a/*b", "**"], []],
])("%s stands for the paths that people expect [AGT-12]", (pattern, matching, others) => {
  expect(matching.filter((path) => !matchesPath(pattern, path))).toEqual([]);
  expect(others.filter((path) => matchesPath(pattern, path))).toEqual([]);
});

test("where names that differ in case are the same file, patterns see it [AGT-12, T8]", () => {
  expect(matchesPath("Package.json", "package.JSON", true)).toBe(true);
});

test("no pattern takes long, whatever it is made of [AGT-12, T9]", () => {
  const pattern = "**/*a*/".repeat(30);
  const path = `${"aaaaaaaaaaaaaaaaaaaa/".repeat(100)}b`;
  const match = () => {
    matchesPath(pattern, path);
    matchesPath("*a".repeat(100), `${"a".repeat(5000)}b`);
  };
  expect(processorMs(1000, match)).toBeLessThan(1000);
});

test.each(["", "/etc", "~/x", "../x", "a/../../b", "a\0b", "a\\b", "x".repeat(300)])(
  "%j is no pattern of a file below a directory [AGT-12, T8]",
  (pattern) => expect(patternProblem(pattern)).toBeDefined(),
);

test("what comes before the first wildcard is the directory that holds all of it", () => {
  const patterns = ["src/**", "src/a/*.ts", "package.json", "a/b.ts", "**/*.md"];
  expect(patterns.map(staticDirectory)).toEqual(["src", "src/a", "", "a", ""]);
  expect(patterns.map(isLiteral)).toEqual([false, false, true, true, false]);
});

test.each([
  ["", "is empty"],
  ["x".repeat(257), "has more than 256 characters"],
  ["a\u0000b", "has a control character"],
  ["a\\b", "has a backslash; write / between directories"],
  ["/etc", "is no path below the agent's cwd"],
  ["~/x", "is no path below the agent's cwd"],
  ["a/../b", "leaves the agent's cwd"],
  ["x".repeat(256), undefined],
  ["a/~b/..c/d..", undefined],
  ["**/*.ts", undefined],
])("%j: %s", (pattern, problem) => {
  expect(patternProblem(pattern)).toBe(problem);
});

test.each([
  ["src", ["src", "src/", "./src"], ["src/a", "a/src"]],
  ["src/*", ["src/a"], ["src", "src/a/b"]],
  ["src/**", ["src", "src/a", "src/a/b"], ["srcs"]],
  ["**/a", ["a", "b/a", "b/c/a"], ["a/b"]],
  ["a/**/**/b", ["a/b", "a/x/b", "a/x/y/z/b"], ["a", "a/x", "b"]],
])("%s as a whole stands for these paths and no others", (pattern, matching, others) => {
  expect(matching.filter((path) => !matchesWholePath(pattern, path))).toEqual([]);
  expect(others.filter((path) => matchesWholePath(pattern, path))).toEqual([]);
});

test.each([
  ["*", ["", "a", "*"], []],
  ["a*b*c", ["abc", "axbxc", "abcbc", "abbcc"], ["ab", "acb", "abcd"]],
  ["*ab", ["ab", "aab", "abab"], ["aba", "b"]],
  ["a?", ["ab", "a?"], ["a", "abc"]],
  ["?*", ["a", "ab"], []],
  ["ab**", ["ab", "abc"], ["a"]],
])("%s within a name goes as far as it must", (pattern, matching, others) => {
  const found = (name: string) => matchesWholePath(`n${pattern}.`, `n${name}.`);
  expect(matching.filter((name) => !found(name))).toEqual([]);
  expect(others.filter(found)).toEqual([]);
});
