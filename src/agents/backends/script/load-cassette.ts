import type { z } from "zod";
import { didYouMean } from "../../../foundation/near-names.ts";
import type { YamlSource } from "../../../foundation/yaml-source.ts";
import { readYaml } from "../../../foundation/yaml-source.ts";
import type { CassetteProblem } from "../parts/errors.ts";
import { cassetteInvalid } from "../parts/errors.ts";
import type { Cassette } from "./cassette-schema.ts";
import { cassetteSchema } from "./cassette-schema.ts";

type Issue = z.core.$ZodIssue;

const TOP_KEYS = Object.keys(cassetteSchema.shape);

/**
 * The cassette in a YAML or JSON text. Raises CASSETTE_INVALID with the place of every problem.
 * `file` names the text in those places.
 */
export function parseCassette(source: string, file: string): Cassette {
  const yaml = readYaml(source, file);
  if (yaml.problems.length > 0) throw invalid(file, yaml.problems);
  const parsed = cassetteSchema.safeParse(yaml.value);
  if (parsed.success) return parsed.data;
  throw invalid(
    file,
    parsed.error.issues.flatMap((issue) => toProblems(issue, [], yaml)),
  );
}

function invalid(file: string, problems: readonly CassetteProblem[]): Error {
  const [first] = problems;
  return cassetteInvalid({ file, problems }, { ...first?.place, file });
}

function toProblems(
  issue: Issue,
  above: readonly PropertyKey[],
  yaml: YamlSource,
): readonly CassetteProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union")
    return meantBranch(issue.errors).flatMap((inner) => toProblems(inner, path, yaml));
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      message: unknownKey(key, path),
      place: yaml.placeOf(path, key),
    }));
  if (issue.code === "invalid_key") {
    const [key, owner] = [String(path.at(-1)), path.slice(0, -1)];
    const place = yaml.placeOf(owner, key);
    return issue.issues.map(({ message }) => ({ message: `${pathText(path)}: ${message}`, place }));
  }
  const where = pathText(path);
  const message = where === "" ? issue.message : `${where}: ${issue.message}`;
  return [{ message, place: yaml.placeOf(path) }];
}

/** The branch of a union that the writer meant: the first whose outermost type fits. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const fits = (issues: readonly Issue[]) =>
    !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0);
  return branches.find(fits) ?? branches[0] ?? [];
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const where = pathText(path);
  const known = path.length === 0 ? didYouMean(key, TOP_KEYS) : undefined;
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
