import type { z } from "zod";
import { didYouMean } from "./near-names.ts";
import type { YamlProblem, YamlSource } from "./yaml-source.ts";

type Issue = z.core.$ZodIssue;

const MISSING = /^Invalid input: expected (.*), received undefined$/;

/** Where the problems of a parsed value are found, and which keys its top level may have. */
interface Surroundings {
  readonly yaml: Pick<YamlSource, "placeOf">;
  readonly topKeys: readonly string[];
}

/** What a schema finds wrong in a YAML text, each with its place. */
export function problemsInYaml(
  issues: readonly Issue[],
  yaml: Pick<YamlSource, "placeOf">,
  topKeys: readonly string[],
): readonly YamlProblem[] {
  return issues.flatMap((issue) => toProblems(issue, [], { yaml, topKeys }));
}

function toProblems(
  issue: Issue,
  above: readonly PropertyKey[],
  around: Surroundings,
): readonly YamlProblem[] {
  const { yaml } = around;
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union")
    return meantBranch(issue.errors).flatMap((inner) => toProblems(inner, path, around));
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      message: unknownKey(key, path, around.topKeys),
      place: yaml.placeOf(path, key),
    }));
  if (issue.code === "invalid_key") {
    const [key, owner] = [String(path.at(-1)), path.slice(0, -1)];
    const place = yaml.placeOf(owner, key);
    return issue.issues.map(({ message }) => ({ message: `${pathText(path)}: ${message}`, place }));
  }
  const where = pathText(path);
  const problem = issue.message.replace(MISSING, "it is missing, and has to be $1");
  const message = where === "" ? problem : `${where}: ${problem}`;
  return [{ message, place: yaml.placeOf(path) }];
}

/** The branch of a union that the writer meant: the first whose outermost type fits. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const fits = (issues: readonly Issue[]) =>
    !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0);
  return branches.find(fits) ?? branches[0] ?? [];
}

function unknownKey(key: string, path: readonly PropertyKey[], topKeys: readonly string[]): string {
  const where = pathText(path);
  const known = path.length === 0 ? didYouMean(key, topKeys) : undefined;
  const hint = known === undefined ? "" : ` (${known})`;
  return `unknown key "${key}"${where === "" ? "" : ` in ${where}`}${hint}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      return index === 0 ? String(part) : `.${String(part)}`;
    })
    .join("");
}
