import type { Place } from "../../foundation/errors.ts";
import { isRecord } from "../../foundation/json.ts";
import { problemsInYaml } from "../../foundation/yaml-schema-problems.ts";
import { readYaml, type YamlProblem } from "../../foundation/yaml-source.ts";
import { compileRegex } from "../../programs/language/regex.ts";
import { testFileInvalid } from "./errors.ts";
import { type TestFile, testFileSchema } from "./test-file-schema.ts";

/** A test file that was read. */
export interface ReadTestFile {
  readonly file: string;
  readonly content: TestFile;
  /** Place of a member, or of the nearest one above. */
  placeOf(path: readonly PropertyKey[]): Place;
}

const TOP_KEYS = Object.keys(testFileSchema.shape);

/** The test in a YAML or JSON text. `file` names the text in places. Raises TEST_FILE_INVALID with the place of every problem. */
export function readTestFile(source: string, file: string): ReadTestFile {
  const yaml = readYaml(source, file);
  if (yaml.problems.length > 0) throw invalid(file, yaml.problems);
  const parsed = testFileSchema.safeParse(yaml.value);
  if (!parsed.success) throw invalid(file, problemsInYaml(parsed.error.issues, yaml, TOP_KEYS));
  const placeOf = (path: readonly PropertyKey[]) => yaml.placeOf(path);
  const problems = [...sameNames(parsed.data, placeOf), ...wrongRegexes(parsed.data, placeOf)];
  if (problems.length > 0) throw invalid(file, problems);
  return { file, content: parsed.data, placeOf };
}

function invalid(file: string, problems: readonly YamlProblem[]): Error {
  const [first] = problems;
  return testFileInvalid({ file, problems }, { ...first?.place, file });
}

type PlaceOf = ReadTestFile["placeOf"];

function sameNames({ cases }: TestFile, placeOf: PlaceOf): readonly YamlProblem[] {
  return cases.flatMap(({ name }, index) => {
    const first = cases.findIndex((one) => one.name === name);
    if (first === index) return [];
    const message = `two cases are called ${JSON.stringify(name)}`;
    return [{ message, place: placeOf(["cases", index, "name"]) }];
  });
}

/** Expressions are compiled before anything is played. */
function wrongRegexes(content: TestFile, placeOf: PlaceOf): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const place = [...path, Array.isArray(value) ? Number(key) : key];
      if (key === "matches" && typeof member === "string") {
        const message = regexProblem(member);
        if (message !== undefined) problems.push({ message, place: placeOf(place) });
      } else visit(member, place);
    }
  };
  for (const [index, { expect, people = [] }] of content.cases.entries()) {
    visit(expect, ["cases", index, "expect"]);
    visit(people, ["cases", index, "people"]);
  }
  return problems;
}

function regexProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether a text is a test, and no workflow. */
export function isTestFile(source: string, file: string): boolean {
  const { value } = readYaml(source, file);
  return isRecord(value) && "cases" in value;
}
