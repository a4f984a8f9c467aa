import type { TroupeError } from "../../../foundation/errors.ts";
import { type Offsets, templateSyntax } from "../errors.ts";
import type {
  PromptBlock,
  PromptNode,
  PromptReference,
  PromptTemplate,
} from "./prompt-template.ts";
import { literalAt, readPath } from "./template.ts";

/** A prompt template and everything that is wrong in it. */
export interface ScannedPrompt extends PromptTemplate {
  readonly faults: readonly { readonly error: TroupeError; readonly span: Offsets }[];
}

const MAX_LEVELS = 16;
// Building an error takes far longer than finding a fault.
const MAX_FAULTS = 20;

/** Reads a prompt template. Raises WORKFLOW_TEMPLATE_SYNTAX for its first fault. */
export function parsePromptTemplate(text: string): PromptTemplate {
  const { nodes, faults } = scanPromptTemplate(text);
  const [fault] = faults;
  if (fault !== undefined) throw fault.error;
  return { nodes };
}

/**
 * Reads a prompt template and collects its first 20 faults; tags that are wrong stay in the text as written.
 * A line with nothing but the tag of a block leaves no line.
 */
export function scanPromptTemplate(text: string): ScannedPrompt {
  const builder = new PromptBuilder(text);
  let offset = 0;
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", offset)) {
    if (builder.faults.length >= MAX_FAULTS) break;
    const before = text.slice(offset, open);
    const literal = literalAt(text, { before, open, opener: "{{" });
    if (literal !== undefined) {
      builder.addText(literal.text);
      offset = literal.end;
      continue;
    }
    const tag = readPromptTag(text, open, builder.isInEach());
    const line = ownLine(text, offset, tag);
    builder.addText(text.slice(offset, line.start));
    builder.addTag(tag);
    offset = line.end;
  }
  builder.addText(text.slice(offset));
  return builder.finish();
}

/** What of the text a tag takes up: its line if nothing else stands there and it prints nothing. */
function ownLine(text: string, from: number, tag: PromptTag): Offsets {
  if (tag.kind === "value" || tag.kind === "fault") return tag.span;
  let start = tag.span.start;
  while (start > from && isBlank(text.charAt(start - 1))) start -= 1;
  let end = tag.span.end;
  while (isBlank(text.charAt(end))) end += 1;
  const isFirst = start === 0 || text.charAt(start - 1) === "\n";
  if (!isFirst) return tag.span;
  if (text.startsWith("\r\n", end)) return { start, end: end + 2 };
  if (text.charAt(end) === "\n") return { start, end: end + 1 };
  return end === text.length ? { start, end } : tag.span;
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}

interface OpenBlock extends PromptBlock {
  readonly span: Offsets;
  readonly body: PromptNode[];
  readonly otherwise: PromptNode[];
  hasElse: boolean;
}

/** Puts the pieces of one template into its blocks. */
class PromptBuilder {
  readonly faults: PromptFault[] = [];
  readonly #text: string;
  readonly #nodes: PromptNode[] = [];
  readonly #open: OpenBlock[] = [];
  /** Blocks whose beginning is a fault. */
  readonly #unopened: ("if" | "each")[] = [];
  #pending = "";

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether there is an item here; the else part of an `{{#each}}` has none of its own. */
  isInEach(): boolean {
    const isOpen = this.#open.some(({ kind, hasElse }) => kind === "each" && !hasElse);
    return isOpen || this.#unopened.includes("each");
  }

  addText(text: string): void {
    this.#pending += text;
  }

  addTag(tag: PromptTag): void {
    if (tag.kind === "fault") this.#keep(tag);
    else if (tag.kind === "close") this.#close(tag);
    else if (tag.kind === "else") this.#else(tag);
    else {
      this.#flush();
      if (tag.kind === "open") this.#openBlock(tag);
      else this.#current().push({ kind: "value", reference: tag.reference });
    }
  }

  finish(): ScannedPrompt {
    this.#flush();
    for (const { kind, span } of this.#open) {
      if (this.faults.length >= MAX_FAULTS) break;
      this.faults.push(promptFault(this.#text, span, `its {{/${kind}}} is missing`));
    }
    return { nodes: this.#nodes, faults: this.faults };
  }

  #openBlock({ block: kind, reference, span }: Extract<PromptTag, { kind: "open" }>): void {
    if (this.#open.length >= MAX_LEVELS)
      this.#fail(span, `blocks nest more than ${MAX_LEVELS} deep`);
    this.#open.push({ kind, reference, span, body: [], otherwise: [], hasElse: false });
  }

  #close({ block: kind, span }: Extract<PromptTag, { kind: "close" }>): void {
    const block = this.#open.at(-1);
    if (block?.kind !== kind) {
      if (this.#closeUnopened(kind)) return;
      const found = block === undefined ? "nothing" : `{{#${block.kind} ${block.reference.name}}}`;
      this.#fail(span, `it would close {{#${kind}}}, but ${found} is open`);
      return;
    }
    this.#flush();
    this.#open.pop();
    const { reference, body, otherwise } = block;
    this.#current().push({ kind, reference, body, otherwise });
  }

  #closeUnopened(kind: "if" | "each"): boolean {
    const index = this.#unopened.lastIndexOf(kind);
    if (index >= 0) this.#unopened.splice(index, 1);
    return index >= 0;
  }

  #else({ span }: Extract<PromptTag, { kind: "else" }>): void {
    if (this.#unopened.length > 0) return;
    const block = this.#open.at(-1);
    if (block === undefined || block.hasElse) {
      const reason = block === undefined ? "it stands inside of no block" : "it is the second one";
      this.#fail(span, reason);
      return;
    }
    this.#flush();
    block.hasElse = true;
  }

  #fail(span: Offsets, reason: string): void {
    this.#keep(promptFault(this.#text, span, reason));
  }

  #keep(fault: PromptFault): void {
    this.faults.push(fault);
    if (fault.opens !== undefined) this.#unopened.push(fault.opens);
    this.#pending += this.#text.slice(fault.span.start, fault.span.end);
  }

  #flush(): void {
    if (this.#pending !== "") this.#current().push({ kind: "text", text: this.#pending });
    this.#pending = "";
  }

  #current(): PromptNode[] {
    const block = this.#open.at(-1);
    if (block === undefined) return this.#nodes;
    return block.hasElse ? block.otherwise : block.body;
  }
}

/** What stands between two pairs of braces in a prompt template. */
type PromptTag =
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
interface PromptFault {
  readonly kind: "fault";
  readonly error: TroupeError;
  readonly span: Offsets;
  /** The block that it would have opened, so that what closes it is no fault too. */
  readonly opens?: "if" | "each";
}

const MAX_NAME_CHARS = 256;
// A name with a helper and some spaces around it.
const MAX_TAG_CHARS = MAX_NAME_CHARS + 64;
const EXISTING =
  "there are {{name}}, {{#if name}}, {{#each name}}, {{else}}, {{/if}} and {{/each}}";

/** Reads the tag whose braces open at an offset. */
function readPromptTag(text: string, open: number, isInEach: boolean): PromptTag {
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
function promptFault(text: string, span: Offsets, reason: string): PromptFault {
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
