import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { toJson } from "../../../src/foundation/json.ts";
import { readJsonSchema } from "../../../src/programs/json-schema/json-schema.ts";
import { has, SCHEMA_SUITE } from "../../machine.ts";

const META_SCHEMA = "refers to the schema of schemas, a remote one";
const REMOTE = "refers to another document: nothing is fetched";
const VOCABULARY = "names a dialect of its own, which would have to be fetched";

interface LeftOut {
  readonly file: string;
  readonly group: string;
  readonly reason: string;
}

/** Groups of cases whose schemas Troupe refuses. */
const LEFT_OUT: readonly LeftOut[] = [
  ...named("anchor.json", META_SCHEMA, ["invalid anchors"]),
  ...named("defs.json", META_SCHEMA, ["validate definition against metaschema"]),
  ...named("dynamicRef.json", REMOTE, [
    "strict-tree schema, guards against misspelled properties",
    "tests for implementation dynamic anchor and reference link",
    "$ref and $dynamicAnchor are independent of order - $defs first",
    "$ref and $dynamicAnchor are independent of order - $ref first",
  ]),
  ...named("id.json", META_SCHEMA, [
    "Invalid use of fragments in location-independent $id",
    "Valid use of empty fragments in location-independent $id",
    "Unnormalized $ids are allowed but discouraged",
  ]),
  ...named("ref.json", META_SCHEMA, [
    "remote ref, containing refs itself",
    "URN base URI with f-component",
  ]),
  ...named("refRemote.json", REMOTE, [
    "remote ref",
    "fragment within remote ref",
    "anchor within remote ref",
    "ref within remote ref",
    "base URI change",
    "base URI change - change folder",
    "base URI change - change folder in subschema",
    "root ref in remote ref",
    "remote ref with ref to defs",
    "Location-independent identifier in remote ref",
    "retrieved nested refs resolve relative to their URI not $id",
    "remote HTTP ref with different $id",
    "remote HTTP ref with different URN $id",
    "remote HTTP ref with nested absolute ref",
  ]),
  ...named("vocabulary.json", VOCABULARY, [
    "schema that uses custom metaschema with with no validation vocabulary",
    "ignore unrecognized optional vocabulary",
  ]),
];

const groups = z.array(
  z.object({
    description: z.string(),
    schema: z.unknown(),
    tests: z.array(z.object({ description: z.string(), data: z.unknown(), valid: z.boolean() })),
  }),
);

type Group = z.infer<typeof groups>[number];

test.runIf(has("the test suite of JSON Schema"))(
  "every required case of the official suite comes out as it says, but for those that are named here [STP-10.schema, WF-11.schema]",
  () => {
    const { wrong, right } = tally(({ file, group }) => !isLeftOut(file, group.description));
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(1100);
  },
);

test.runIf(has("the test suite of JSON Schema"))(
  "what is left out of the official suite is refused, and never judged wrongly",
  () => {
    const left = suite().filter(({ file, group }) => isLeftOut(file, group.description));
    expect(left).toHaveLength(LEFT_OUT.length);
    for (const { group } of left)
      expect(() => readJsonSchema(group.schema)).toThrow(/leads out of the schema|is not known/);
  },
);

test.runIf(has("the test suite of JSON Schema"))(
  "the cases of dependencies, as before 2019-09, come out as the suite says",
  () => {
    const { wrong, right } = tally(() => true, ["optional/dependencies-compatibility.json"]);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(30);
  },
);

function named(file: string, reason: string, names: readonly string[]): readonly LeftOut[] {
  return names.map((group) => ({ file, group, reason }));
}

function isLeftOut(file: string, group: string): boolean {
  return LEFT_OUT.some((left) => left.file === file && left.group === group);
}

interface SuiteGroup {
  readonly file: string;
  readonly group: Group;
}

function suite(files = readdirSync(SCHEMA_SUITE)): readonly SuiteGroup[] {
  return files
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) =>
      groups
        .parse(JSON.parse(readFileSync(join(SCHEMA_SUITE, file), "utf8")))
        .map((group) => ({ file, group })),
    );
}

function tally(isTaken: (group: SuiteGroup) => boolean, files?: string[]) {
  const wrong: string[] = [];
  let right = 0;
  for (const { file, group } of suite(files).filter(isTaken)) {
    const schema = readJsonSchema(group.schema);
    for (const { description, data, valid } of group.tests) {
      const fits = schema.mismatchOf(toJson(data, "a case")) === undefined;
      if (fits === valid) right += 1;
      else wrong.push(`${file}: ${group.description}: ${description}`);
    }
  }
  return { wrong, right };
}
