import type { TroupeError } from "../../../foundation/errors.ts";
import { type Offsets, templateSyntax } from "../errors.ts";
import { parseExpression } from "../expressions/parse-expression.ts";

/** A variable of a template: `steps.plan.output`, and where it stands with its braces. */
export interface TemplateVariable {
  readonly kind: "variable";
  /** As written, without spaces around it. */
  readonly name: string;
  readonly segments: readonly string[];
  /** What is done with its value: `{{steps.plan.output | first-line}}`. Part of the name as written. */
  readonly filter?: "first-line";
  readonly span: Offsets;
}

/** A piece of a template. The text of text parts has its escapes resolved. */
export type TemplatePart = { readonly kind: "text"; readonly text: string } | TemplateVariable;

/** A text with variables. */
export interface Template {
  readonly parts: readonly TemplatePart[];
}

/**
 * How variables are written: `{{name}}` in pattern and step workflows, `${{ name }}` in kickoff workflows (WF-13), `dotted`
 * in commands of step workflows of format 1, where a path in brackets was a fault.
 */
export type TemplateSyntax = "braces" | "dollar" | "dotted";

/** A template and everything that is wrong in it. */
export interface ScannedTemplate extends Template {
  readonly faults: readonly { readonly error: TroupeError; readonly span: Offsets }[];
}

const OPENERS = { braces: "{{", dotted: "{{", dollar: "${{" } as const satisfies {
  readonly [syntax in TemplateSyntax]: string;
};
const MAX_NAME_CHARS = 256;
// Building an error takes far longer than finding a fault.
const MAX_FAULTS = 20;
const FILTER = /^(.*?)[ \t]*\|[ \t]*(\S*)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*$/;

/** Reads a template. Raises WORKFLOW_TEMPLATE_SYNTAX for its first fault. */
export function parseTemplate(text: string, syntax: TemplateSyntax = "braces"): Template {
  const { parts, faults } = scanTemplate(text, syntax);
  const [fault] = faults;
  if (fault !== undefined) throw fault.error;
  return { parts };
}

/** Reads a template and collects its first 20 faults; what is wrong stays in the text as written. */
export function scanTemplate(text: string, syntax: TemplateSyntax = "braces"): ScannedTemplate {
  const opener = OPENERS[syntax];
  const parts: TemplatePart[] = [];
  const faults: { error: TroupeError; span: Offsets }[] = [];
  let pending = "";
  let offset = 0;
  const flush = () => {
    if (pending !== "") parts.push({ kind: "text", text: pending });
    pending = "";
  };
  for (let open = text.indexOf(opener); open >= 0; open = text.indexOf(opener, offset)) {
    if (faults.length === MAX_FAULTS) break;
    const before = text.slice(offset, open);
    const literal = literalAt(text, { before, open, opener });
    if (literal !== undefined) {
      pending += literal.text;
      offset = literal.end;
      continue;
    }
    pending += before;
    const read = readVariable(text, open, syntax);
    offset = read.span.end;
    if (read.kind === "variable") {
      flush();
      parts.push(read);
    } else {
      faults.push(read);
      pending += text.slice(read.span.start, read.span.end);
    }
  }
  pending += text.slice(offset);
  flush();
  return { parts, faults };
}

/** The variables of a template in order, repeated as written. */
export function templateVariables(template: Template): readonly TemplateVariable[] {
  return template.parts.filter((part) => part.kind === "variable");
}

type ReadVariable =
  | TemplateVariable
  | { readonly kind: "fault"; readonly error: TroupeError; readonly span: Offsets };

function readVariable(text: string, open: number, syntax: TemplateSyntax): ReadVariable {
  const begin = open + OPENERS[syntax].length;
  const inside = text.slice(begin, begin + MAX_NAME_CHARS + 2);
  const close = inside.indexOf("}}");
  if (close < 0) {
    return fault(text, { start: open, end: begin }, "the closing }} is missing");
  }
  const span = { start: open, end: begin + close + 2 };
  const name = inside.slice(0, close).trim();
  if (name === "") return fault(text, span, "it has no name");
  if (/^[#/]/.test(name))
    return fault(text, span, "blocks stand in the prompts of step workflows only");
  const [, filtered = name, filter] = FILTER.exec(name) ?? [];
  const segments = segmentsOf(filtered, syntax) ?? segmentsOf(name, syntax);
  if (segments === undefined) return fault(text, span, NOT_A_NAME[syntax]);
  if (segmentsOf(filtered, syntax) === undefined) return { kind: "variable", name, segments, span };
  if (filter !== undefined && filter !== "first-line")
    return fault(text, span, "the only filter is first-line");
  return { kind: "variable", name, segments, span, ...(filter === undefined ? {} : { filter }) };
}

const NOT_A_NAME = {
  braces: 'a variable is names joined by dots, or ["in brackets"]',
  dotted: "a variable is names joined by dots",
  dollar: "a variable is names joined by dots",
} as const satisfies { readonly [syntax in TemplateSyntax]: string };

function segmentsOf(name: string, syntax: TemplateSyntax): readonly string[] | undefined {
  if (syntax === "braces") return readPath(name);
  return NAME.test(name) ? name.split(".") : undefined;
}

/** The names of a path: `steps.plan.output`, `steps["plan"].output`, `context.files[0]`; undefined for what is none. */
export function readPath(name: string): readonly string[] | undefined {
  if (NAME.test(name)) return name.split(".");
  if (!name.includes("[")) return undefined;
  try {
    const { root } = parseExpression(name);
    return root.kind === "path" ? root.segments : undefined;
  } catch {
    return undefined;
  }
}

function fault(text: string, span: Offsets, reason: string): ReadVariable {
  const found = text.slice(span.start, span.end);
  return { kind: "fault", error: templateSyntax({ found, reason, span }), span };
}

/** A text as it has to be written where templates are read: what is written in code is text. */
export function escapeTemplate(text: string): string {
  return text.replaceAll("{{", "\\{{");
}

/** A place where a text looks as if a variable began. */
interface OpenerPlace {
  /** The text since the last variable. */
  readonly before: string;
  readonly open: number;
  readonly opener: "{{" | "${{";
}

/**
 * The text that stands for an opener which begins no variable, with what is before it: one behind a backslash,
 * and in texts with `{{` all of `${{ ... }}`. Undefined when a variable begins.
 */
export function literalAt(
  text: string,
  { before, open, opener }: OpenerPlace,
): { readonly text: string; readonly end: number } | undefined {
  if (before.endsWith("\\"))
    return { text: `${before.slice(0, -1)}${opener}`, end: open + opener.length };
  if (opener === "${{" || !before.endsWith("$")) return undefined;
  // ${{ ... }} is the variable syntax of other shapes and plain text here, with all that is inside.
  const close = text.indexOf("}}", open);
  const end = close < 0 ? text.length : close + 2;
  return { text: before + text.slice(open, end), end };
}
