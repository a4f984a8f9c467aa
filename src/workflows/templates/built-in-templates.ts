import { readFileSync } from "node:fs";
import { packageFile } from "../../foundation/package-file.ts";
import { repeatLines } from "./repeat-lines.ts";

/** A workflow that comes with troupe. */
export interface BuiltIn {
  readonly name: string;
  /** How many agents of one kind it may have, where that is a choice: the param `count`. */
  readonly count?: TemplateCount;
}

/** The bounds of the param `count`. */
export interface TemplateCount {
  /** What is counted, such as `reviewers`. */
  readonly of: string;
  readonly default: number;
  /** From 1 up to this. */
  readonly most: number;
}

/** The templates of this version. A new one is a file in `templates/` and a line here. */
export const builtInTemplates: readonly BuiltIn[] = [
  { name: "feature-dev" },
  { name: "bug-fix" },
  { name: "code-review", count: { of: "reviewers", default: 3, most: 9 } },
  { name: "security-audit" },
  { name: "refactor" },
  { name: "brainstorm", count: { of: "peers", default: 3, most: 9 } },
];

/** The template of a name. */
export function findTemplate(name: string): BuiltIn | undefined {
  return builtInTemplates.find((template) => template.name === name);
}

/** A template as the text of a workflow file. `count` must lie in its bounds. */
export function readTemplate({ name, count }: BuiltIn, wanted = count?.default ?? 1): string {
  const file = packageFile(`templates/${name}.yaml`);
  return repeatLines(readFileSync(file, "utf8"), wanted);
}

/** What a template is for, in one line. */
export function templateSummary(template: BuiltIn): string {
  return /^description: (.*)$/m.exec(readTemplate(template))?.[1] ?? template.name;
}
