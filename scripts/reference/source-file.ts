// Reads what the sources of Troupe say about themselves.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..", "..");

/** The parsed sources that a pattern names, in the order of their paths. */
export function parseSources(pattern: string): readonly ts.SourceFile[] {
  return globSync(pattern, { cwd: root })
    .toSorted()
    .map((path) =>
      ts.createSourceFile(
        path,
        readFileSync(join(root, path), "utf8"),
        ts.ScriptTarget.Latest,
        true,
      ),
    );
}

/** The text of a node's documentation comment as one line; empty without one. */
export function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = typeof doc?.comment === "string" ? doc.comment : "";
  return text.replaceAll(/\s+/g, " ").trim();
}

/** A text as it stands in a cell of a Markdown table. */
export function toCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}
