import { readFileSync } from "node:fs";
import { packageFile } from "../../foundation/package-file.ts";

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

const OPEN = /^ *# repeat ([a-z])$/;

const CLOSE = /^ *# end$/;

/**
 * A text in which the lines between `# repeat n` and `# end` stand once for every number from 1 to `count`,
 * with that number for `<n>`, and `count` for `<count>`. Blocks may hold blocks with another letter.
 */
export function repeatLines(text: string, count: number): string {
  return expand(text.replaceAll("<count>", String(count)).split("\n"), count).join("\n");
}

function expand(lines: readonly string[], count: number): readonly string[] {
  const start = lines.findIndex((line) => OPEN.test(line));
  if (start < 0) return lines;
  const length = blockLength(lines.slice(start + 1));
  const letter = OPEN.exec(lines[start] ?? "")?.[1] ?? "n";
  const block = expand(lines.slice(start + 1, start + 1 + length), count);
  const copies = Array.from({ length: count }, (_, index) =>
    block.map((line) => line.replaceAll(`<${letter}>`, String(index + 1))),
  );
  const after = lines.slice(start + 2 + length);
  return [...lines.slice(0, start), ...copies.flat(), ...expand(after, count)];
}

/** How many lines stand before the end of the block that has just begun. */
function blockLength(lines: readonly string[]): number {
  let depth = 1;
  for (const [index, line] of lines.entries()) {
    if (OPEN.test(line)) depth += 1;
    if (CLOSE.test(line)) depth -= 1;
    if (depth === 0) return index;
  }
  throw new Error("a template repeats lines without an end");
}
