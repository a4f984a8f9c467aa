import { type DocumentEdit, type DocumentRevision, MAIN_DOCUMENT } from "../contracts/document.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { documentOwned, documentUnclaimable } from "./errors.ts";

/** The agent that owns a document; undefined when none does, or when it has left: then it belongs to all again. */
export function ownerOf(state: RunState, name: string): string | undefined {
  const owner = state.documents.byName.get(name)?.owner;
  if (owner === undefined || findAgent(state, owner)?.status === "exited") return undefined;
  return owner;
}

/**
 * Refuses that anybody but its owner replaces the text of a document. What is no agent, people above all, may
 * always write. Raises MESSAGE_DOCUMENT_OWNED.
 */
export function assertMayWrite(
  state: RunState,
  { by, document }: { readonly by: string; readonly document: string },
): void {
  const owner = ownerOf(state, document);
  if (owner === undefined || owner === by || findAgent(state, by) === undefined) return;
  throw documentOwned({ document, owner, by });
}

/**
 * The owner that an edit makes, if it makes one: an agent may claim a document that it is the first to write,
 * or that is its own already. Raises MESSAGE_DOCUMENT_UNCLAIMABLE.
 */
export function claimedBy(
  state: RunState,
  { by, edit, current }: Claiming,
): { readonly owner?: string } {
  if (edit.claim !== true) return {};
  const document = current.name;
  const refuse = (reason: string) => documentUnclaimable({ document, by, reason });
  if (document === MAIN_DOCUMENT) throw refuse("it belongs to all");
  if (findAgent(state, by) === undefined) throw refuse("only an agent can own a document");
  if (current.owner === by) return {};
  if (current.revision > 0) throw refuse(`"${current.by}" has already written to it`);
  return { owner: by };
}

interface Claiming {
  readonly by: string;
  readonly edit: Pick<DocumentEdit, "claim">;
  readonly current: DocumentRevision;
}
