import { type NewFile, writeFiles } from "../write-files.ts";
import { schemaFiles } from "./schema-files.ts";

const SCHEMA_DIRECTORY = ".troupe/schema";

/** The schemas of this version as files of a project. */
export function schemaFilesToWrite(mode: NewFile["mode"]): readonly NewFile[] {
  return schemaFiles().map(({ name, text }) => ({
    path: `${SCHEMA_DIRECTORY}/${name}.json`,
    text,
    mode,
  }));
}

/** Writes all schemas into a directory, over those of an earlier version. Raises what writeFiles raises. */
export async function writeSchemas(root: string): Promise<readonly string[]> {
  const files = schemaFilesToWrite("replace");
  await writeFiles(root, files);
  return files.map(({ path }) => path);
}
