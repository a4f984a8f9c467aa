import { ID_PATTERN } from "../../foundation/ids.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { listAt, textAt } from "../checks/file-view.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf } from "../source/source-node.ts";
import { nothingShared, setupVariable } from "./errors.ts";
import { sharedParts } from "./shared-parts.ts";

/** Words that begin or are other variables. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["task", "instance", "workflow", "context", "env", "params"],
]);

/** Checks the names that setup commands give to their output, and whether agents share what they need. */
export function checkSetup(context: CheckContext): void {
  checkNames(context);
  checkSharing(context);
  checkShadowChannel(context);
}

function checkNames({ view, report }: CheckContext): void {
  const seen = new Set<string>();
  for (const task of listAt(view.root, "setup")) {
    const name = textAt(task, "as");
    if (name === undefined) continue;
    const problem = problemOf(name.text, seen);
    if (problem !== undefined) report(setupVariable({ name: name.text, problem }), name.node);
    seen.add(name.text);
  }
}

function problemOf(name: string, seen: ReadonlySet<string>): string | undefined {
  if (!ID_PATTERN.test(name)) return "use letters, digits, _ and -, and begin with a letter";
  if (TAKEN.has(name)) return "it has a meaning already";
  return seen.has(name) ? "an earlier command has it" : undefined;
}

function checkSharing({ view, report }: CheckContext): void {
  const agents = view.agents.length;
  const entry = entryOf(view.root, "context");
  const isOff = entry === undefined || (entry.node.kind === "scalar" && entry.node.value === false);
  if (agents < 2 || !isOff) return;
  const place = entry ?? entryOf(view.root, "agents");
  if (place !== undefined)
    report(nothingShared({ agents }), place.keyRange, { severity: "warning" });
}

/** A shadow hears and speaks in the channel. */
function checkShadowChannel({ view, report }: CheckContext): void {
  const shadow = entryOf(entryOf(view.root, "options")?.node, "shadow");
  if (shadow === undefined || sharedParts(entryOf(view.root, "context")?.node).channel) return;
  const problem = "has no channel to follow and to speak in";
  const hint = "add context: (empty) for a channel and a document";
  report(wrongValue({ place: "options.shadow", problem, hint }), shadow.keyRange);
}
