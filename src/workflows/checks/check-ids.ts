import { ID_PATTERN, RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import type { CheckContext } from "./check-context.ts";
import { idDuplicate, idInvalid, idReserved } from "./errors.ts";
import type { LocatedItem } from "./file-view.ts";
import { textAt } from "./file-view.ts";

/** Checks the form of all ids and that none is there twice. */
export function checkIds(context: CheckContext): void {
  const { view, report } = context;
  const name = textAt(view.root, "name");
  if (name !== undefined && !ID_PATTERN.test(name.text))
    report(idInvalid({ what: "the name of a workflow", id: name.text }), name.node);
  for (const agent of view.agents) {
    if (agent.id !== undefined && RESERVED_AGENT_IDS.has(agent.id.toLowerCase()))
      report(idReserved({ id: agent.id }), agent.idRange);
  }
  checkGroup(context, view.agents, { one: "the id of an agent", many: "agents", folds: true });
  checkGroup(context, [...view.steps, ...view.barriers], {
    one: "the id of a step or barrier",
    many: "steps or barriers",
    folds: false,
  });
  checkGroup(context, view.params, { one: "the name of a param", many: "params", folds: false });
}

interface Group {
  readonly one: string;
  readonly many: string;
  /** Whether ids that differ only in case are the same. */
  readonly folds: boolean;
}

function checkGroup({ report }: CheckContext, items: readonly LocatedItem[], group: Group): void {
  const seen = new Map<string, LocatedItem>();
  for (const item of items) {
    const { id, idRange } = item;
    if (id === undefined) continue;
    if (!ID_PATTERN.test(id)) report(idInvalid({ what: group.one, id }), idRange);
    const key = group.folds ? id.toLowerCase() : id;
    const first = seen.get(key);
    if (first?.id === undefined) seen.set(key, item);
    else
      report(idDuplicate({ what: group.many, id, other: first.id }), idRange, {
        related: [{ range: first.idRange, label: "the first one" }],
      });
  }
}
