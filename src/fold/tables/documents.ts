import { rememberWrite } from "../state/message-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** Shared documents at their latest revision. */
export const documentTable: FoldTable = {
  "document-changed": (state, event) => {
    const { document: name, revision, by, change, seq, key } = event;
    const known = state.documents.byName.get(name);
    const text = change.kind === "append" ? (known?.text ?? "") + change.text : change.text;
    const owner = event.owner ?? known?.owner;
    const changedAt = event.at;
    state.documents.byName.set(name, { name, revision, text, by, owner, changedAt, seq });
    rememberWrite(state.messages, by, event.at);
    if (key !== undefined) state.documents.revisionByKey.set(key, { name, revision });
  },
};
