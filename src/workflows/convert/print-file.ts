import { Document } from "yaml";
import type { FileContent } from "../builder/to-file.ts";

/** The text of a file in YAML. */
export function printYaml(content: FileContent): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  return document.toString({ lineWidth: 0, indentSeq: true });
}

/** The text of a file in JSON. */
export function printJson(content: FileContent): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
