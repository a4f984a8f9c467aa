import { z } from "zod";
import { verificationSchema } from "../../programs/step/written-check.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { type FileView, type LocatedItem, viewFile } from "../checks/file-view.ts";
import { budgetEntrySchema } from "../schema/budget-schema.ts";
import { camelCased, toSnakeCase } from "../schema/step-keys.ts";
import { flowAgentSchema } from "../schema/steps-file-schema.ts";
import { idText } from "../schema/text-schemas.ts";
import { trajectoryEntrySchema } from "../schema/trajectory-schema.ts";
import {
  entryOf,
  type MapNode,
  type SourceEntry,
  type SourceNode,
  withoutKeys,
} from "../source/source-node.ts";
import { type StepsView, stepLabel } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

const listedAgent = flowAgentSchema.extend({ id: idText });
const budgetHolder = z.object({ budget: budgetEntrySchema.optional() });
const SHARED_KEYS: ReadonlySet<string> = new Set(["agents", "budget", "backend", "trajectory"]);

/** The parts of a step workflow that pattern workflows have too, as those would write them: agents, budgets, trajectories and checks. */
export function sharedContext({ view, text, options, report }: StepsCheck): CheckContext {
  return {
    view: sharedView(view),
    text,
    pattern: undefined,
    order: undefined,
    options,
    report,
    spell: toSnakeCase,
  };
}

/** The agents of a step workflow as a pattern workflow would write them. */
export function camelCasedAgents(agents: SourceNode): SourceNode {
  if (agents.kind === "list")
    return { ...agents, items: agents.items.map((item) => camelCased(item, listedAgent)) };
  if (agents.kind !== "map") return agents;
  const entries = [...agents.entries].map(([id, entry]): [string, SourceEntry] => {
    return [id, { ...entry, node: camelCased(entry.node, flowAgentSchema) }];
  });
  return { ...agents, entries: new Map(entries) };
}

/** The budget of a step workflow, or of one of its steps, as a pattern workflow would write it. */
export function camelCasedBudget(budget: SourceNode): SourceNode {
  return camelCased(budget, budgetEntrySchema);
}

/** What a step workflow says of trajectories, as a pattern workflow would write it. */
export function camelCasedTrajectory(trajectory: SourceNode): SourceNode {
  return camelCased(trajectory, trajectoryEntrySchema);
}

/** One check of a step as a pattern workflow would write it. */
export function camelCasedCheck(check: SourceNode): SourceNode {
  return camelCased(check, verificationSchema);
}

function sharedView({ root, all }: StepsView): FileView {
  const shared = withoutKeys(root, (key) => !SHARED_KEYS.has(key));
  const entries = [...shared.entries].map(([key, entry]): [string, SourceEntry] => {
    if (key === "agents") return [key, { ...entry, node: camelCasedAgents(entry.node) }];
    if (key === "budget") return [key, { ...entry, node: camelCasedBudget(entry.node) }];
    if (key === "trajectory") return [key, { ...entry, node: camelCasedTrajectory(entry.node) }];
    return [key, entry];
  });
  const steps = all.map((step): LocatedItem => {
    return { id: stepLabel(step), idRange: step.idRange, node: sharedStep(step.node) };
  });
  return { ...viewFile({ ...root, entries: new Map(entries) }), steps };
}

/** What a step has in common with those of pattern workflows. */
function sharedStep(node: SourceNode): SourceNode {
  if (node.kind !== "map") return node;
  const verify = entryOf(node, "verify");
  const entries = new Map<string, SourceEntry>();
  const budget = entryOf(camelCased(node, budgetHolder), "budget");
  if (budget !== undefined) entries.set("budget", budget);
  if (verify?.node.kind === "list") {
    const items = verify.node.items.map(camelCasedCheck);
    entries.set("verify", { ...verify, node: { ...verify.node, items } });
  }
  const shared: MapNode = { ...node, entries };
  return shared;
}
