import type { TroupeError } from "../../../foundation/errors.ts";
import type { Offsets } from "../errors.ts";
import { literalAt } from "./literal-braces.ts";
import { type PromptFault, type PromptTag, promptFault, readPromptTag } from "./prompt-tag.ts";
import type { PromptBlock, PromptNode, PromptTemplate } from "./prompt-template.ts";

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
