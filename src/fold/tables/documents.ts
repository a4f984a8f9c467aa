import type { FoldTable } from "../fold-table.ts";

/** Shared documents at their latest revision. */
export const documentTable: FoldTable = {
  "document-changed": (state, event) => {
    const { document: name, revision, by, change, seq, key } = event;
    const before = change.kind === "append" ? (state.documents.byName.get(name)?.text ?? "") : "";
    const text = before + change.text;
    state.documents.byName.set(name, { name, revision, text, by, changedAt: event.at, seq });
    if (key !== undefined) state.documents.revisionByKey.set(key, { name, revision });
  },
};
