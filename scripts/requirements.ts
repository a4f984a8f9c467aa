// Lists which requirements are proven by which tests. Fails when the list and the tests disagree, and for tests that
// cite one and assert nothing.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Requirement, requirements } from "../test/requirements.ts";
import { assertingTitles } from "./asserting-titles.ts";

interface Citation {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly asserts: boolean;
}

const root = join(import.meta.dirname, "..");
// A string that is the first argument of test(...) or the name of a conformance case, and ends in [ids].
const citingTitle =
  /(?:\b(?:test|it)(?:\.\w+\((?:[^()]|\([^()]*\))*\))?\(|\bname:)\s*(["'`])((?:(?!\1)[^\\\n]|\\.)*?) \[([^\]\n]+)\]\1/g;
const idShape = /^[A-Z]+(?:-[A-Za-z0-9-]+|\d+)(?:\.[a-z][a-z0-9-]*)?$/;

const citations = readCitations();
const problems = findProblems(requirements, citations);
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${render(requirements, citations)}\n`);
}

function readCitations(): readonly Citation[] {
  const files = globSync(["test/**/*.ts", "src/testing/**/*.ts"], { cwd: root }).toSorted();
  return files.flatMap((file) => {
    const path = join(root, file);
    const asserting = assertingTitles(path);
    return [...readFileSync(path, "utf8").matchAll(citingTitle)].flatMap(
      ([, , title = "", ids = ""]) => {
        const asserts = asserting.has(`${title} [${ids}]`);
        return toIds(ids).map((id) => ({ id, file, title, asserts }));
      },
    );
  });
}

function toIds(text: string): readonly string[] {
  const ids = text.split(",").map((id) => id.trim());
  return ids.every((id) => idShape.test(id)) ? ids : [];
}

function findProblems(list: readonly Requirement[], cited: readonly Citation[]): readonly string[] {
  const known = new Set(list.map(({ id }) => id));
  const proving = new Set(cited.map(({ id }) => id));
  const ids = list.map(({ id }) => id);
  return [
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `${id} stands twice in test/requirements.ts`),
    ...list
      .filter(({ id, status }) => status === "proven" && !proving.has(id))
      .map(({ id }) => `${id} is called proven, but no test cites it`),
    ...cited
      .filter(({ id }) => !known.has(id))
      .map(({ id, file, title }) => `${id} is not in test/requirements.ts: ${file}, "${title}"`),
    ...cited
      .filter(({ asserts }) => !asserts)
      .map(
        ({ id, file, title }) =>
          `${id} is cited by a test that asserts nothing: ${file}, "${title}"`,
      ),
  ];
}

function render(list: readonly Requirement[], cited: readonly Citation[]): string {
  const byId = Map.groupBy(cited, ({ id }) => id);
  const proven = list.filter(({ status }) => status === "proven");
  const planned = list.filter(({ status }) => status === "planned");
  const candidates = planned.filter(({ id }) => byId.has(id));
  return [
    `proven (${proven.length})`,
    ...proven.flatMap((one) => describe(one, byId.get(one.id) ?? [])),
    `\nplanned, but cited by tests: candidates (${candidates.length})`,
    ...candidates.flatMap((one) => describe(one, byId.get(one.id) ?? [])),
    `\nplanned (${planned.length - candidates.length})`,
    ...planned.filter(({ id }) => !byId.has(id)).map(({ id, sentence }) => `  ${id}  ${sentence}`),
    `\n${proven.length} of ${list.length} requirements proven, ${candidates.length} more cited`,
  ].join("\n");
}

function describe({ id, sentence }: Requirement, cited: readonly Citation[]): readonly string[] {
  return [`  ${id}  ${sentence}`, ...cited.map(({ file, title }) => `      ${file}: ${title}`)];
}
