import type { JsonPath } from "./parts/json-path.ts";

/** Something wrong with a schema. */
export interface SchemaFault {
  /** Where it lies, from the root of the schema. */
  readonly path: JsonPath;
  /** Whether the last word of the path is wrong itself, and not what stands under it. */
  readonly isKey: boolean;
  readonly problem: string;
  readonly hint?: string;
}
