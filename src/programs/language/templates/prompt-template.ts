import type { Offsets } from "../errors.ts";

/** What a tag of a prompt template names: a value by its path, or something of the list around it. */
export type PromptReference =
  | PromptVariable
  /** `this`, `this.findings`: the innermost item. */
  | ItemPath
  | { readonly kind: "key" | "index"; readonly name: string; readonly span: Offsets };

/** A path from the names that every part of the template sees: `context.plan.files.0`. */
export interface PromptVariable {
  readonly kind: "variable";
  /** As written, without spaces around it. */
  readonly name: string;
  readonly segments: readonly string[];
  /** The whole tag with its braces: UTF-16 offsets, the end exclusive. */
  readonly span: Offsets;
  /** Whether it stands inside of an `{{#each}}`. */
  readonly isInEach: boolean;
}

/** A path from the innermost item; without segments the item itself. */
export interface ItemPath {
  readonly kind: "item";
  readonly name: string;
  readonly segments: readonly string[];
  readonly span: Offsets;
}

/** One piece of a prompt template. The text of text nodes has its escapes resolved. */
export type PromptNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly reference: PromptReference }
  | PromptBlock;

/** `{{#if}}` or `{{#each}}` with what is inside. */
export interface PromptBlock {
  readonly kind: "if" | "each";
  readonly reference: PromptReference;
  readonly body: readonly PromptNode[];
  readonly otherwise: readonly PromptNode[];
}

/** A text with variables, conditions and lists (WF-13). */
export interface PromptTemplate {
  readonly nodes: readonly PromptNode[];
}

/** Every variable that a template names, in order, repeated as written; also those of its blocks. */
export function promptVariables(template: PromptTemplate): readonly PromptVariable[] {
  return template.nodes.flatMap(variablesOf);
}

function variablesOf(node: PromptNode): readonly PromptVariable[] {
  if (node.kind === "text") return [];
  const own = node.reference.kind === "variable" ? [node.reference] : [];
  if (node.kind === "value") return own;
  return [...own, ...node.body.flatMap(variablesOf), ...node.otherwise.flatMap(variablesOf)];
}
