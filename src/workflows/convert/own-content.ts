import { isRecord } from "../../foundation/json.ts";
import type { Written } from "../builder/workflow-sketch.ts";
import type { LoadedWorkflow } from "../parse-workflow.ts";
import { parseSource } from "../source/parse-source.ts";
import { toValue } from "../source/source-node.ts";

/** What a loaded file says, as it is written; of a file of another tool what was made of it. */
export function ownContent({ imported, source, file }: LoadedWorkflow): Written {
  const root = imported?.root ?? parseSource(source, file).root;
  const content = root === undefined ? undefined : toValue(root);
  return isRecord(content) ? content : {};
}
