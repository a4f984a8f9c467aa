import { nearestName } from "../../foundation/near-names.ts";
import { checkAgents } from "../checks/check-agents.ts";
import { checkBudgets } from "../checks/check-budgets.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { checkDurations } from "../checks/check-durations.ts";
import { checkIds } from "../checks/check-ids.ts";
import { checkParams } from "../checks/check-params.ts";
import { checkShadow } from "../checks/check-shadow.ts";
import { viewFile } from "../checks/file-view.ts";
import { checkContextPlaces } from "../kickoff/check-context-places.ts";
import { checkKickoffVariables } from "../kickoff/check-kickoff-variables.ts";
import { checkMentions } from "../kickoff/check-mentions.ts";
import { checkSetup } from "../kickoff/check-setup.ts";
import { checkTools } from "../kickoff/check-tools.ts";
import { readPrompts } from "../kickoff/read-prompts.ts";
import { resolveKickoff } from "../kickoff/resolve-kickoff.ts";
import type { FileReading, FileShape, ReadWorkflow } from "../resolve/file-shape.ts";
import { kickoffFileSchema } from "../schema/kickoff-file-schema.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { entryOf, type MapNode, toValue, withoutKeys } from "../source/source-node.ts";

/** Files that say who takes part and how it begins. */
export const kickoffFile: FileShape = { name: "kickoff", fits, read };

/** A map of agents; but whoever misspelt `pattern` means another shape. */
function fits(root: MapNode): boolean {
  const agents = entryOf(root, "agents")?.node;
  const keys = [...root.entries.keys()];
  return agents?.kind === "map" && !keys.some((key) => nearestName(key, ["pattern"]) !== undefined);
}

function read(reading: FileReading): ReadWorkflow | undefined {
  const { options, text, report } = reading;
  const root = withoutKeys(reading.root, (key) => key.startsWith("x-"));
  const context: CheckContext = { view: viewFile(root), text, pattern: undefined, options, report };
  for (const { error, range } of schemaProblems(kickoffFileSchema(options), root))
    report(error, range);
  checkIds(context);
  checkSetup(context);
  checkDurations(context);
  checkParams(context);
  checkAgents(context);
  checkShadow(context);
  checkTools(context);
  checkBudgets(context);
  checkContextPlaces(context);
  const prompts = readPrompts(context);
  checkKickoffVariables(context, prompts);
  checkMentions(context);
  if (!reading.isOk()) return undefined;
  return resolveKickoff(toValue(root), { file: reading.file, prompts, options });
}
