import type { WorkflowDefinition } from "./definition.ts";

/**
 * The format of what is resolved from now on. A run keeps the format that it was started with: its recorded turns hold
 * texts and conditions of then, and resume only if these come out the same.
 */
export const NEWEST_FORMAT = 2;

/** Stamps a newly resolved definition with the newest format. Nothing else writes a format. */
export function stampFormat<Parts extends object>(
  parts: Parts,
): Parts & { readonly format: typeof NEWEST_FORMAT } {
  return { ...parts, format: NEWEST_FORMAT };
}

/**
 * Whether a workflow's texts and conditions follow the one language of all forms. Ask before changing any value or text
 * that reaches a prompt, a command, a condition or an error handed to another attempt; runs of format 1 keep theirs.
 */
export function hasOneLanguage({ format }: { readonly format: number }): boolean {
  return format >= 2;
}

/** A definition in the format of another one, down to the workflows that its steps run. */
export function inFormatOf(
  definition: WorkflowDefinition,
  other: WorkflowDefinition,
): WorkflowDefinition {
  const { format } = other;
  if (definition.shape !== "steps") return { ...definition, format };
  const workflows = Object.entries(definition.workflows).map(
    ([name, child]) => [name, inFormatOf(child, other)] as const,
  );
  return { ...definition, format, workflows: Object.fromEntries(workflows) };
}
