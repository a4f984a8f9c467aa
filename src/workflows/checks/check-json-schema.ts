import type { TroupeError } from "../../foundation/errors.ts";
import { judgeSchema } from "../../programs/json-schema/judge-schema.ts";
import { jsonPathText } from "../../programs/json-schema/parts/json-path.ts";
import type { SchemaFault } from "../../programs/json-schema/schema-fault.ts";
import {
  entryOf,
  nodeAt,
  type SourceNode,
  type SourceRange,
  toValue,
} from "../source/source-node.ts";
import { jsonSchemaFault } from "./errors.ts";

/** Where a JSON Schema stands in a file, and where what is wrong with it is reported. */
export interface SchemaInFile {
  readonly node: SourceNode;
  /** How its key is called in messages. */
  readonly place: string;
  report(error: TroupeError, range: SourceRange): void;
}

/** Judges a JSON Schema of a file: what can never work, and words that mean nothing, each at its own place. */
export function checkJsonSchema({ node, place, report }: SchemaInFile): void {
  // Another kind of value is told by the schema of the file.
  if (node.kind !== "map") return;
  for (const fault of judgeSchema(toValue(node))) {
    const { problem, hint } = fault;
    const path = fault.isKey ? fault.path.slice(0, -1) : fault.path;
    const below = jsonPathText(path);
    const name = below === "" || below.startsWith("[") ? `${place}${below}` : `${place}.${below}`;
    const details = { place: name, problem, ...(hint === undefined ? {} : { hint }) };
    report(jsonSchemaFault(details), rangeOf(node, fault));
  }
}

function rangeOf(root: SourceNode, { path, isKey }: SchemaFault): SourceRange {
  const node = nodeAt(root, path) ?? root;
  if (!isKey) return node;
  return entryOf(nodeAt(root, path.slice(0, -1)), String(path.at(-1)))?.keyRange ?? node;
}
