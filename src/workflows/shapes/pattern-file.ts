import type { CheckContext } from "../checks/check-context.ts";
import { checkFile } from "../checks/check-file.ts";
import { isExplainedKey } from "../checks/check-supported.ts";
import { viewFile } from "../checks/file-view.ts";
import { backendOrigins } from "../resolve/backend-origins.ts";
import type { FileReading, FileShape, ReadWorkflow } from "../resolve/file-shape.ts";
import { resolveDefinition } from "../resolve/resolve-definition.ts";
import { patternFileSchema } from "../schema/pattern-file-schema.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { toValue, withoutKeys } from "../source/source-node.ts";

/** Files with a pattern; a template has been put into its place before. */
export const patternFile: FileShape = {
  name: "pattern",
  fits: (root) => root.entries.has("pattern"),
  read,
};

function read(reading: FileReading): ReadWorkflow | undefined {
  const { options, text } = reading;
  const view = viewFile(reading.root);
  const pattern = options.patterns.find(({ name }) => name === view.pattern);
  const context: CheckContext = { view, text, pattern, options, report: reading.report };
  const root = withoutKeys(
    reading.root,
    (key) => key.startsWith("x-") || isExplainedKey(key, context),
  );
  for (const { error, range } of schemaProblems(patternFileSchema(options), root))
    reading.report(error, range);
  checkFile(context);
  if (pattern === undefined || !reading.isOk()) return undefined;
  const value = toValue(root);
  return {
    definition: resolveDefinition(value, pattern, options),
    backendOrigins: backendOrigins(value, options),
  };
}
