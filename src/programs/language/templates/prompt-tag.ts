import type { TroupeError } from "../../../foundation/errors.ts";
import { type Offsets, templateSyntax } from "../errors.ts";
import { parseExpression } from "../expressions/parse-expression.ts";
import type { PromptReference } from "./prompt-template.ts";

/** What stands between two pairs of braces in a prompt template. */
export type PromptTag =
  | { readonly kind: "value"; readonly reference: PromptReference; readonly span: Offsets }
  | {
      readonly kind: "open";
      readonly block: "if" | "each";
      readonly reference: PromptReference;
      readonly span: Offsets;
    }
  | { readonly kind: "close"; readonly block: "if" | "each"; readonly span: Offsets }
  | { readonly kind: "else"; readonly span: Offsets }
  | PromptFault;

/** A fault of a template and where it lies. */
export interface PromptFault {
  readonly kind: "fault";
  readonly error: TroupeError;
  readonly span: Offsets;
  /** The block that it would have opened, so that what closes it is no fault too. */
  readonly opens?: "if" | "each";
}

const MAX_NAME_CHARS = 256;
// A name with a helper and some spaces around it.
const MAX_TAG_CHARS = MAX_NAME_CHARS + 64;
const PATH = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*$/;
const EXISTING =
  "there are {{name}}, {{#if name}}, {{#each name}}, {{else}}, {{/if}} and {{/each}}";

/** Reads the tag whose braces open at an offset. */
export function readPromptTag(text: string, open: number, isInEach: boolean): PromptTag {
  const inside = text.slice(open + 2, open + 2 + MAX_TAG_CHARS);
  const close = inside.indexOf("}}");
  if (close < 0)
    return promptFault(text, { start: open, end: open + 2 }, "the closing }} is missing");
  const end = open + close + 4;
  const tag = inside.slice(0, close).trim();
  if (tag.startsWith("{")) {
    const span = { start: open, end: text.charAt(end) === "}" ? end + 1 : end };
    return promptFault(text, span, "values are never escaped, so two braces are all there is");
  }
  const place = { text, span: { start: open, end }, isInEach };
  const [head = "", rest] = splitHead(tag);
  if (head === "#if" || head === "#each")
    return openTag(place, head === "#if" ? "if" : "each", rest);
  if (tag === "/if" || tag === "/each")
    return { kind: "close", block: tag === "/if" ? "if" : "each", span: place.span };
  if (tag === "else") return { kind: "else", span: place.span };
  if (head === "else" && rest !== "")
    return promptFault(text, place.span, "{{else}} takes nothing; put an {{#if}} inside of it");
  const reference = readReference(place, tag);
  return "error" in reference ? reference : { kind: "value", reference, span: place.span };
}

/** A fault at a place, which shows what stands there. */
export function promptFault(text: string, span: Offsets, reason: string): PromptFault {
  const found = text.slice(span.start, span.end);
  return { kind: "fault", error: templateSyntax({ found, reason, span, isPrompt: true }), span };
}

interface TagPlace {
  readonly text: string;
  readonly span: Offsets;
  readonly isInEach: boolean;
}

function splitHead(tag: string): readonly [string, string] {
  const space = tag.search(/\s/);
  return space < 0 ? [tag, ""] : [tag.slice(0, space), tag.slice(space).trim()];
}

function openTag(place: TagPlace, block: "if" | "each", name: string): PromptTag {
  const { text, span } = place;
  const reference =
    name === ""
      ? promptFault(text, span, `it does not say ${MISSING_NAME[block]}`)
      : readReference(place, name);
  if ("error" in reference) return { ...reference, opens: block };
  return { kind: "open", block, reference, span };
}

const MISSING_NAME = {
  if: "of what: write {{#if context.plan}}",
  each: "over what: write {{#each context.plan.files}}",
} as const;

function readReference(place: TagPlace, name: string): PromptReference | PromptFault {
  const { text, span, isInEach } = place;
  const fail = (reason: string) => promptFault(text, span, reason);
  if (name === "") return fail("it has no name");
  if (name.length > MAX_NAME_CHARS)
    return fail(`its name has more than ${MAX_NAME_CHARS} characters`);
  if (name.startsWith("../")) return fail("items of an outer {{#each}} cannot be reached");
  if (/^[#/^&>!*]/.test(name)) return fail(EXISTING);
  if (name.startsWith("@")) {
    if (name !== "@key" && name !== "@index") return fail("there are @key and @index only");
    if (!isInEach) return fail(`${name} stands inside of {{#each}} only`);
    return { kind: name === "@key" ? "key" : "index", name, span };
  }
  const segments = readPath(name);
  if (segments === undefined) return fail('a name is words joined by dots, or ["in brackets"]');
  if (segments[0] !== "this") return { kind: "variable", name, segments, span, isInEach };
  if (!isInEach) return fail("this stands inside of {{#each}} only");
  return { kind: "item", name, segments: segments.slice(1), span };
}

function readPath(name: string): readonly string[] | undefined {
  if (PATH.test(name)) return name.split(".");
  if (!name.includes("[")) return undefined;
  try {
    const { root } = parseExpression(name);
    return root.kind === "path" ? root.segments : undefined;
  } catch {
    return undefined;
  }
}
