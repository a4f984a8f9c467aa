import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../../foundation/json.ts";
import { packageFile } from "../../../foundation/package-file.ts";

/** A JSON Schema of this version of troupe. */
export interface SchemaFile {
  /** `workflow`, `cassette`, ... */
  readonly name: string;
  readonly text: string;
}

/** All JSON Schemas of this version, by name. */
export function schemaFiles(): readonly SchemaFile[] {
  const directory = packageFile("schemas");
  return readdirSync(directory)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => ({
      name: file.replace(/(\.schema)?\.json$/, ""),
      text: readFileSync(join(directory, file), "utf8"),
    }));
}

/** The schema of workflow files as a value. */
export function workflowSchema(): Readonly<Record<string, unknown>> {
  const file = schemaFiles().find(({ name }) => name === "workflow");
  const value: unknown = JSON.parse(file?.text ?? "{}");
  return isRecord(value) ? value : {};
}
