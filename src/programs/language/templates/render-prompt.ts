import { isJsonArray, type Json } from "../../../foundation/json.ts";
import { hintNames } from "../../../foundation/near-names.ts";
import { type Offsets, promptNoList, promptTooLarge, unknownVariable } from "../errors.ts";
import { measureJson } from "../json-measure.ts";
import { memberNames, valueAt } from "../member-of.ts";
import { valueKind } from "../value-kind.ts";
import { type FilledPiece, type FilledText, plainText } from "./filled-text.ts";
import type { PromptLookup } from "./prompt-lookup.ts";
import type {
  PromptBlock,
  PromptNode,
  PromptReference,
  PromptTemplate,
} from "./prompt-template.ts";
import { valueText } from "./value-text.ts";

const MAX_CHARS = 8_388_608;
const MAX_LIST_PARTS = 100_000;

/**
 * Fills in a prompt template in one pass: values are never read as templates.
 * Raises WORKFLOW_UNKNOWN_VARIABLE, WORKFLOW_NOT_A_LIST, WORKFLOW_PROMPT_TOO_LARGE.
 */
export function renderPrompt(template: PromptTemplate, lookup: PromptLookup): string {
  return plainText(fillPrompt(template, lookup));
}

/** Where the value at a path is from when somebody else wrote it; `isKey` for the name of a member, not its value. */
type SourceOf = (segments: readonly string[], isKey: boolean) => string | undefined;

/** The same in pieces: what others wrote has its source. */
export function fillPrompt(
  template: PromptTemplate,
  lookup: PromptLookup,
  sourceOf?: SourceOf,
): FilledText {
  const rendering = new Rendering(lookup, sourceOf);
  rendering.add(template.nodes, undefined);
  return rendering.filled;
}

/** What `this` means: one item of a list or member of an object. */
interface Item {
  readonly value: Json;
  readonly index: number;
  /** Names of the members around it; absent in a list. */
  readonly keys?: readonly string[];
  readonly list: PromptReference;
  /** The path of the list. */
  readonly base: readonly string[];
}

/** One text in the making. */
class Rendering {
  readonly #lookup: PromptLookup;
  readonly #sourceOf: SourceOf;
  readonly filled: FilledPiece[] = [];
  #chars = 0;
  /** Rounds of lists, and what was rendered in them. */
  #listParts = 0;
  /** Whether objects have members: asking costs as much as they have. */
  readonly #filled = new WeakMap<object, boolean>();
  /** What is printed in every round is made once. */
  readonly #texts = new WeakMap<object, string>();

  constructor(lookup: PromptLookup, sourceOf: SourceOf = () => undefined) {
    this.#lookup = lookup;
    this.#sourceOf = sourceOf;
  }

  add(nodes: readonly PromptNode[], item: Item | undefined): void {
    for (const node of nodes) {
      if (item !== undefined) this.#countListParts(1, item.list);
      if (node.kind === "text") this.#write(node.text, item?.list);
      else if (node.kind === "value") this.#addValue(node.reference, item);
      else if (node.kind === "each") this.#addEach(node, item);
      else this.add(this.#holds(node.reference, item) ? node.body : node.otherwise, item);
    }
  }

  #addValue(reference: PromptReference, item: Item | undefined): void {
    const value = this.#find(reference, item);
    if (value === undefined) return;
    const isObject = value !== null && typeof value === "object";
    const text = isObject ? this.#json(value, reference) : valueText(value);
    this.#write(text, reference, this.#sourceFor(reference, { value, item }));
  }

  /** Nobody can say anything with a number, nor with yes and no. */
  #sourceFor(
    reference: PromptReference,
    { value, item }: { readonly value: Json; readonly item: Item | undefined },
  ): string | undefined {
    if (typeof value === "number" || typeof value === "boolean") return undefined;
    return this.#sourceOf(pathOf(reference, item), reference.kind === "key");
  }

  #json(value: object & Json, reference: PromptReference): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    // Measured first: a text that is thrown away costs as much as one that is kept.
    this.#checkSize(measureJson(value, { chars: MAX_CHARS, parts: MAX_CHARS }).chars, reference);
    const text = valueText(value);
    this.#texts.set(value, text);
    return text;
  }

  #addEach({ reference, body, otherwise }: PromptBlock, item: Item | undefined): void {
    const value = this.#find(reference, item) ?? null;
    if (value !== null && typeof value !== "object")
      throw promptNoList({ found: valueKind(value), ...placeOf(reference) });
    const size = sizeOf(value);
    this.#countListParts(size, reference);
    if (value === null || size === 0) {
      this.add(otherwise, item);
      return;
    }
    const base = pathOf(reference, item);
    const around = {
      list: reference,
      base,
      ...(isJsonArray(value) ? {} : { keys: Object.keys(value) }),
    };
    const members = isJsonArray(value) ? value : Object.values(value);
    for (const [index, member] of members.entries())
      this.add(body, { value: member, index, ...around });
  }

  #holds(reference: PromptReference, item: Item | undefined): boolean {
    const value = this.#find(reference, item) ?? null;
    if (value === null || typeof value !== "object") return Boolean(value);
    const isFilled = this.#filled.get(value) ?? sizeOf(value) > 0;
    this.#filled.set(value, isFilled);
    return isFilled;
  }

  /** Undefined for what is missing and may be. */
  #find(reference: PromptReference, item: Item | undefined): Json | undefined {
    if (reference.kind === "key") return item === undefined ? undefined : keyOf(item);
    if (reference.kind === "index") return item?.index;
    const value =
      reference.kind === "item" && item !== undefined
        ? valueAt(item.value, reference.segments)
        : undefined;
    if (value !== undefined) return value;
    const result = this.#lookup.find(pathOf(reference, item));
    if (result.found) return result.value;
    if (result.isOptional) return undefined;
    const ofItem = memberNames(item?.value).map((name) => `this.${name}`);
    const known = hintNames(reference.name, [...this.#lookup.known(), ...ofItem]);
    throw unknownVariable({ name: reference.name, known });
  }

  #write(text: string, near: PromptReference | undefined, source?: string): void {
    this.#chars += text.length;
    if (near !== undefined) this.#checkSize(this.#chars, near);
    this.filled.push(source === undefined ? { text } : { text, source });
  }

  #checkSize(chars: number, near: PromptReference): void {
    if (chars <= MAX_CHARS) return;
    const reason =
      chars === Infinity ? "its value has too many levels" : `it has over ${MAX_CHARS} characters`;
    throw promptTooLarge({ reason, ...placeOf(near) });
  }

  #countListParts(count: number, near: PromptReference): void {
    this.#listParts += count;
    if (this.#listParts <= MAX_LIST_PARTS) return;
    const reason = `lists print over ${MAX_LIST_PARTS} parts`;
    throw promptTooLarge({ reason, ...placeOf(near) });
  }
}

function placeOf({ name, span }: PromptReference): {
  readonly name: string;
  readonly span: Offsets;
} {
  return { name, span };
}

function sizeOf(value: Json): number {
  if (value === null || typeof value !== "object") return 0;
  return isJsonArray(value) ? value.length : Object.keys(value).length;
}

/** The path from the names that every part of the template sees. */
function pathOf(reference: PromptReference, item: Item | undefined): readonly string[] {
  if (reference.kind === "variable") return reference.segments;
  const own = reference.kind === "item" ? reference.segments : [];
  return item === undefined ? own : [...item.base, keyOf(item), ...own];
}

function keyOf({ keys, index }: Item): string {
  return keys?.[index] ?? String(index);
}
