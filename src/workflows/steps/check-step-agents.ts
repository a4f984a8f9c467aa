import { wishedModel } from "../../agents/model-word.ts";
import { isToolName, OWN_TOOLS } from "../../contracts/agent.ts";
import { LOOP_KEYS } from "../../contracts/backend.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { agentTypeKey } from "../agent-types/errors.ts";
import { placeInType } from "../agent-types/read-agent-type.ts";
import { idDuplicate, idInvalid, idReserved, unknownAgent, unusedAgent } from "../checks/errors.ts";
import {
  idsOf,
  type LocatedItem,
  type LocatedText,
  labelOf,
  MAX_NEAR_NAMES,
  nearIds,
  textAt,
  textsWithin,
} from "../checks/file-view.ts";
import type { AgentType, FoundAgentType } from "../resolve/agent-type.ts";
import { noBackend } from "../resolve/errors.ts";
import { modelOf } from "../resolve/resolve-agent.ts";
import { chooseBackend } from "../resolve/resolve-backend.ts";
import { type FoundAgents, fileBackend } from "./flow-agents.ts";
import { ownPart, type StepView, settingsOf, stepLabel } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

/** An agent that a step names, and where. */
export interface AgentUse {
  readonly step: StepView;
  readonly agent: string;
  readonly located: LocatedText | undefined;
}

/** What the agents that steps name come to. */
export interface StepAgents extends FoundAgents {
  readonly uses: readonly AgentUse[];
}

/**
 * Finds every agent that a step names: in the file, among the agent types, or, with `--backend`, as one without a
 * prompt (STP-12). Reports what is found nowhere, or cannot be used, and agents that no step uses.
 */
export function findStepAgents(check: StepsCheck, declared: readonly LocatedItem[]): StepAgents {
  const { view, report } = check;
  const own = new Set(idsOf(declared).map((id) => id.toLowerCase()));
  const uses = view.all.flatMap(usesOf);
  const types = new Map<string, AgentType>();
  const bare = new Set<string>();
  const seen = new Map<string, FoundAgentType | undefined>();
  for (const use of uses) {
    const { agent } = use;
    if (own.has(agent.toLowerCase())) continue;
    const found = seen.has(agent) ? seen.get(agent) : check.options.agentTypes?.find(agent);
    const isFirst = !seen.has(agent);
    seen.set(agent, found);
    const range = rangeOf(use);
    if (found?.status === "found") {
      types.set(agent, found.type);
      if (isFirst) reportDoubts(check, found.type, use);
    } else if (found !== undefined) report(found.error, range);
    else if (!isStoodFor(check, agent)) report(unknown(check, use, declared), range);
    else if (checkBare(check, use, bare)) bare.add(agent);
  }
  checkDeclared(check, declared, uses);
  return { types, bare: [...bare], uses };
}

/** Checks whom agents of the file report to, and that each of them is used. */
function checkDeclared(
  { report }: StepsCheck,
  declared: readonly LocatedItem[],
  uses: readonly AgentUse[],
): void {
  const known = nearIds(declared);
  const used = new Set(uses.map(({ agent }) => agent.toLowerCase()));
  const ids = new Set(declared.map(({ id }) => id?.toLowerCase()));
  for (const agent of declared) {
    const lead = textAt(agent.node, "reportsTo");
    if (lead === undefined) continue;
    used.add(lead.text.toLowerCase());
    const who = `agent "${labelOf(agent, declared)}" reports to`;
    if (!ids.has(lead.text.toLowerCase()))
      report(unknownAgent({ who, agent: lead.text, known }), lead.node);
  }
  for (const { id, idRange } of declared)
    if (id !== undefined && !used.has(id.toLowerCase()))
      report(unusedAgent({ agent: id }), idRange, { severity: "warning" });
}

/** Whether there is somebody for an agent that nothing describes: `--backend`, or a function of the caller. */
function isStoodFor({ options }: StepsCheck, agent: string): boolean {
  const { backendOverride, codeAgents } = options;
  return (
    backendOverride !== undefined ||
    codeAgents?.isOpen === true ||
    codeAgents?.ids.has(agent) === true
  );
}

/** Where the use of an agent is shown. */
export function rangeOf({ located, step }: AgentUse): LocatedItem["idRange"] {
  return located?.node ?? step.idRange;
}

/** Whether a name that nothing describes can be that of an agent. */
function checkBare({ report }: StepsCheck, use: AgentUse, others: ReadonlySet<string>): boolean {
  const { agent } = use;
  const folded = agent.toLowerCase();
  const other = [...others].find((name) => name !== agent && name.toLowerCase() === folded);
  if (!ID_PATTERN.test(agent))
    report(idInvalid({ what: "the name of an agent", id: agent }), rangeOf(use));
  else if (RESERVED_AGENT_IDS.has(folded)) report(idReserved({ id: agent }), rangeOf(use));
  else if (other !== undefined)
    report(idDuplicate({ what: "agents", id: agent, other }), rangeOf(use));
  else return true;
  return false;
}

function usesOf(step: StepView): readonly AgentUse[] {
  const settings = settingsOf(step);
  const agents = settings === undefined ? [] : (step.kind?.type.agents?.(settings) ?? []);
  const { node, kind } = step;
  const isFound = agents.length > 0 && node.kind === "map" && kind !== undefined;
  const texts = isFound ? textsWithin(ownPart(node, kind)) : [];
  return agents.map((agent) => {
    return { step, agent, located: texts.find(({ text }) => text === agent) };
  });
}

function unknown({ options }: StepsCheck, use: AgentUse, declared: readonly LocatedItem[]) {
  const known = [...idsOf(declared), ...(options.agentTypes?.names() ?? [])];
  return unknownAgent({
    who: `step "${stepLabel(use.step)}" uses agent`,
    agent: use.agent,
    known: known.slice(0, MAX_NEAR_NAMES),
    places: true,
  });
}

function reportDoubts(check: StepsCheck, type: AgentType, use: AgentUse): void {
  const { options, report, view } = check;
  const range = rangeOf(use);
  const wish = { id: use.agent, backend: undefined, model: type.model };
  const chosen = chooseBackend(wish, fileBackend(view.root), options);
  if (chosen === undefined) report(noBackend({ agent: use.agent }), range);
  else {
    const { backend } = chosen;
    const model = modelOf(wishedModel(type.model, backend), chosen, options);
    const error = options.modelProblem?.({ id: use.agent, backend, model });
    if (error !== undefined) report(error, range);
  }
  const where = placeInType(type, 0);
  const { tools: troupeTools = [] } = options;
  const known = [...new Set([...OWN_TOOLS, ...troupeTools])];
  const foreign = (tools: readonly string[] = []) =>
    tools
      .filter((tool) => options.tools !== undefined && !isToolName(tool, troupeTools))
      .map((key) => agentTypeKey({ where, key, problem: "is the name of no tool", known }));
  const doubts = foreign(type.tools);
  // Without it the agent would have what its file keeps from it.
  for (const error of foreign(type.deniedTools?.filter((tool) => !/^[\w*-]*\*[\w*-]*$/.test(tool))))
    report(error, range);
  const { takes = [] } = options.traitsOf(chosen?.backend ?? "") ?? {};
  const idle = LOOP_KEYS.filter((key) => type[key] !== undefined && !takes.includes(key));
  const left = idle.map((key) => {
    const problem = `is not carried out by backend ${chosen?.backend ?? "(none)"}`;
    return agentTypeKey({ where, key, problem });
  });
  for (const error of [...type.doubts, ...left, ...doubts])
    report(error, range, { severity: "warning" });
}
