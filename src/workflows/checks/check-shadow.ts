import { shadowIdOf } from "../../programs/primitives/shadows/bind-shadows.ts";
import { wrongValue } from "../schema/errors.ts";
import type { SourceNode } from "../source/source-node.ts";
import { entryOf } from "../source/source-node.ts";
import { checkBackendOf } from "./check-agents.ts";
import type { CheckContext } from "./check-context.ts";
import { idDuplicate, unknownAgent } from "./errors.ts";
import { idsOf, nearIds, textAt, textsAt } from "./file-view.ts";

const PLACE = "options.shadow";

/** Checks whom the shadows of a file watch, what they are called, and what is behind them. */
export function checkShadow(context: CheckContext): void {
  const entry = entryOf(entryOf(context.view.root, "options")?.node, "shadow");
  if (entry?.node.kind !== "map") return;
  checkWatched(context, entry.node);
  checkNames(context, entry.node);
  const { view, options, report } = context;
  const named = textAt(entry.node, "backend") ?? textAt(entry.node, "cli");
  const chosen = named ?? textAt(view.root, "backend") ?? textAt(view.root, "cli");
  // Nothing of what a shadow is there for would reach a program or a person.
  if (chosen !== undefined && options.traitsOf(chosen.text)?.worker !== undefined) {
    const problem = `cannot have backend: ${chosen.text}, which is told no task`;
    const hint = `name one that is, for example ${PLACE}.backend: claude`;
    report(wrongValue({ place: PLACE, problem, hint }), named?.node ?? entry.keyRange);
    return;
  }
  const shadow = { id: "shadow", idRange: entry.keyRange, node: entry.node };
  checkBackendOf(context, shadow, { who: PLACE, place: PLACE });
}

function checkWatched({ view, report }: CheckContext, shadow: SourceNode): void {
  const agents = new Set(idsOf(view.agents).map(fold));
  const shadows = new Set(idsOf(view.agents).map((id) => fold(shadowIdOf(id))));
  for (const { text, node } of textsAt(shadow, "of")) {
    if (agents.has(fold(text))) continue;
    const problem = `names "${text}", which is a shadow itself`;
    const hint = "name agents of the file; a shadow has no shadow";
    const error = shadows.has(fold(text))
      ? wrongValue({ place: `${PLACE}.of`, problem, hint })
      : unknownAgent({ who: `${PLACE} watches agent`, agent: text, known: nearIds(view.agents) });
    report(error, node);
  }
}

/** Two agents with long ids may want the same name for their shadows too. */
function checkNames({ view, report }: CheckContext, shadow: SourceNode): void {
  const wanted = textsAt(shadow, "of").map(({ text }) => fold(text));
  const taken = new Map(
    view.agents.flatMap(({ id, idRange }) =>
      id === undefined ? [] : [[fold(id), { id, idRange }]],
    ),
  );
  for (const { id, idRange } of [...taken.values()]) {
    if (wanted.length > 0 && !wanted.includes(fold(id))) continue;
    const name = shadowIdOf(id);
    const other = taken.get(fold(name));
    if (other !== undefined)
      report(idDuplicate({ what: "agents", id: name, other: other.id }), other.idRange);
    else taken.set(fold(name), { id: name, idRange });
  }
}

function fold(id: string): string {
  return id.toLowerCase();
}
