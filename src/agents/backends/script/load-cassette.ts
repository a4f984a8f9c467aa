import { problemsInYaml } from "../../../foundation/yaml-schema-problems.ts";
import { readYaml } from "../../../foundation/yaml-source.ts";
import type { CassetteProblem } from "../parts/errors.ts";
import { cassetteInvalid } from "../parts/errors.ts";
import type { Cassette } from "./cassette-schema.ts";
import { cassetteSchema } from "./cassette-schema.ts";

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
  throw invalid(file, problemsInYaml(parsed.error.issues, yaml, TOP_KEYS));
}

function invalid(file: string, problems: readonly CassetteProblem[]): Error {
  const [first] = problems;
  return cassetteInvalid({ file, problems }, { ...first?.place, file });
}
