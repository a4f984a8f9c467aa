import { isToolName, OWN_TOOLS } from "../../contracts/agent.ts";
import { LOOP_KEYS } from "../../contracts/backend.ts";
import { patternProblem } from "../../foundation/path-pattern.ts";
import { modelOf } from "../resolve/resolve-agent.ts";
import { chooseBackend } from "../resolve/resolve-backend.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { unknownToolName } from "./errors.ts";
import { type LocatedItem, labelOf, textAt, textsAt } from "./file-view.ts";

/** What an agent is called and what it is said to run on. */
export interface LoopPlace {
  readonly who: string;
  readonly place: string;
  /** Of the file. */
  readonly fileBackend: string | undefined;
}

/** Checks an agent's tools, the bounds of its loop and whether anybody knows its model (LOOP-9). */
export function checkAgentLoop(context: CheckContext, agent: LocatedItem, place: LoopPlace): void {
  checkTools(context, agent, place);
  checkLoopKeys(context, agent, place);
  checkModel(context, agent, place);
}

function checkTools(
  { options, report, spell = same }: CheckContext,
  agent: LocatedItem,
  { who }: LoopPlace,
) {
  const { tools: troupeTools } = options;
  if (troupeTools === undefined) return;
  for (const key of ["tools", "disallowedTools"])
    for (const { text: tool, node } of textsAt(agent.node, key)) {
      const isPattern = key === "disallowedTools" && tool.includes("*");
      if (isPattern || isToolName(tool, troupeTools)) continue;
      const known = [...new Set([...OWN_TOOLS, ...troupeTools])];
      report(unknownToolName({ who, key: spell(key), tool, known }), node);
    }
}

/** A key that would be accepted and ignored is an error. */
function checkLoopKeys(
  context: CheckContext,
  agent: LocatedItem,
  { place, fileBackend }: LoopPlace,
): void {
  const { options, report, spell = same } = context;
  const written = LOOP_KEYS.map((key) => ({ key, entry: entryOf(agent.node, key) }));
  // What stands in for the backend of the file leaves the key behind, and says so nowhere: the file is right.
  const chosen = chooseBackend(wishOf(agent), fileBackend, {
    ...options,
    backendOverride: undefined,
  });
  const { takes = [] } = options.traitsOf(chosen?.backend ?? "") ?? {};
  for (const { key, entry } of written) {
    if (entry === undefined || takes.includes(key)) continue;
    const problem = `has ${spell(key)}, which belongs to backend: model`;
    const hint = `name a model (model: provider/name), or remove ${spell(key)}`;
    report(wrongValue({ place, problem, hint }), entry.keyRange);
  }
}

function checkModel(
  { options, report }: CheckContext,
  agent: LocatedItem,
  { fileBackend }: LoopPlace,
): void {
  const wish = wishOf(agent);
  const chosen = chooseBackend(wish, fileBackend, options);
  if (chosen === undefined) return;
  const { backend } = chosen;
  const model = modelOf(wish.model, chosen, options);
  const error = options.modelProblem?.({ id: wish.id, backend, model });
  if (error !== undefined) report(error, textAt(agent.node, "model")?.node ?? agent.idRange);
}

function wishOf({ id = "", node }: LocatedItem) {
  const backend = textAt(node, "backend") ?? textAt(node, "cli");
  return { id, backend: backend?.text, model: textAt(node, "model")?.text };
}

function same(key: string): string {
  return key;
}

/** Checks what agents are constrained to: patterns that can mean something, and bounds that something can keep. */
export function checkConstraints(context: CheckContext): void {
  const { agents } = context.view;
  const { spell = same } = context;
  for (const agent of agents) {
    const constraints = entryOf(agent.node, "constraints")?.node;
    const place = `agents.${labelOf(agent, agents)}.constraints`;
    const fileScope = entryOf(constraints, "fileScope")?.node;
    const scope = `${place}.${spell("fileScope")}`;
    checkPatterns(context, fileScope, { key: "include", place: `${scope}.include` });
    checkPatterns(context, fileScope, { key: "exclude", place: `${scope}.exclude` });
    checkPatterns(context, constraints, {
      key: "readOnly",
      place: `${place}.${spell("readOnly")}`,
    });
    checkNetwork(context, agent.node, `${place}.network`);
  }
}

function checkPatterns(
  { report }: CheckContext,
  node: SourceNode | undefined,
  { key, place }: { readonly key: string; readonly place: string },
): void {
  for (const pattern of textsAt(node, key)) {
    const problem = patternProblem(pattern.text);
    if (problem === undefined) continue;
    const hint = "write paths below the agent's cwd: src/**, package.json, **/*.test.ts";
    const shown = JSON.stringify(pattern.text.slice(0, 60));
    report(wrongValue({ place: `${place}: ${shown}`, problem, hint }), pattern.node);
  }
}

function checkNetwork({ report }: CheckContext, agent: SourceNode, place: string): void {
  const entry = entryOf(entryOf(agent, "constraints")?.node, "network");
  const node = entry?.node;
  if (entry === undefined || node?.kind !== "scalar" || node.value !== false) return;
  if (textAt(agent, "isolation")?.text === "sandbox") return;
  const problem = "can only be false in a sandbox";
  report(wrongValue({ place, problem, hint: "add isolation: sandbox to the agent" }), node);
}
