import type { StepsDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import { cutBackLinks } from "../../../foundation/graph-layers.ts";
import type { Json } from "../../../foundation/json.ts";
import { flowSteps, type PlacedStep } from "../../../programs/flow/flow-steps.ts";
import { valueAt } from "../../../programs/language/member-of.ts";
import { parsePromptTemplate } from "../../../programs/language/templates/parse-prompt.ts";
import type { PromptLookup } from "../../../programs/language/templates/prompt-lookup.ts";
import type {
  PromptNode,
  PromptReference,
} from "../../../programs/language/templates/prompt-template.ts";
import { renderPrompt } from "../../../programs/language/templates/render-prompt.ts";
import { agentStep } from "../../../programs/steps/agent-step.ts";
import { promptOf } from "../../../programs/steps/parts/agent-prompt.ts";
import type { StepTypeFinder } from "./find-step-type.ts";
import type { PlannedPrompt, PlannedStep } from "./planned-step.ts";
import type { FlowPlan, ShapeReading } from "./shape.ts";

/** The plan of a step workflow: every step, also those that no run has to come to. */
export function planOfFlow(types: StepTypeFinder): ShapeReading<StepsDefinition> {
  return {
    kind: "read",
    read: (definition, { input }): FlowPlan => {
      const placed = flowSteps(definition.steps);
      const certain = certainSteps(definition, types);
      return {
        steps: placed.map((each) => toPlanned(each, { certain, types })),
        prompts: placed.flatMap((each) => plannedPrompts(each, { definition, input, types })),
        ...turnsOf(definition, { placed, types }),
      };
    },
  };
}

const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["agent", "prompt"]);

function toPlanned(
  { step, path, parent }: PlacedStep,
  { certain, types }: { readonly certain: ReadonlySet<string>; readonly types: StepTypeFinder },
): PlannedStep {
  const [agent = null, ...others] = types.workOf(step).agents;
  const own = Object.entries(step.settings).filter(([key]) => !TOLD_ELSEWHERE.has(key));
  return {
    id: path,
    agent: others.length === 0 ? agent : null,
    type: step.type,
    dependsOn: [],
    routes: step.routes,
    settings: Object.fromEntries(own),
    when: step.when ?? null,
    mayBeSkipped: parent !== undefined || !certain.has(step.id),
    expects: null,
    maxAttempts: step.maxAttempts,
    retryDelayMs: step.retryDelayMs,
    timeoutMs: step.timeoutMs ?? null,
    verify: step.verify,
    fallback: [],
    escalateTo: null,
    budget: step.budget ?? null,
  };
}

/** Steps that a run comes to in any case, unless one before them fails. */
function certainSteps(
  { steps, parallel }: StepsDefinition,
  types: StepTypeFinder,
): ReadonlySet<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const certain = new Set<string>();
  let step = parallel ? undefined : steps[0];
  while (step !== undefined && step.when === undefined && !certain.has(step.id)) {
    certain.add(step.id);
    const { on_error: _, ...onward } = step.routes;
    const [next, ...others] = new Set(Object.values(onward));
    // What decides on the way may also end it, as a rejection does.
    const decides = others.length > 0 || types.find(step.type)?.routes.length !== 0;
    step = next === undefined || decides ? undefined : byId.get(next);
  }
  return certain;
}

function plannedPrompts(
  { step, path }: PlacedStep,
  { types, ...known }: Foreknowledge & { readonly types: StepTypeFinder },
): readonly PlannedPrompt[] {
  const [agent] = types.workOf(step).agents;
  if (step.type !== agentStep.name || agent === undefined) return [];
  return [{ agent, step: path, text: plannedText(step, agent, known) }];
}

/** How many turns there may be at most; only a workflow without circles and lists says it by its steps. */
function turnsOf(
  { steps, maxIterations }: StepsDefinition,
  { placed, types }: { readonly placed: readonly PlacedStep[]; readonly types: StepTypeFinder },
): Pick<FlowPlan, "maxTurns"> {
  const asking = placed.filter(({ step }) => types.workOf(step).agents.length > 0);
  const isUnbounded =
    asking.some(({ step }) => step.type !== agentStep.name) ||
    placed.some(({ step }) => isRepeating(step, types) && attemptsIn(step, types) > 0);
  if (isUnbounded) return { maxTurns: null };
  const links = steps.flatMap(({ id, routes }) =>
    Object.values(routes).map((to) => ({ from: id, to })),
  );
  const ids = steps.map(({ id }) => id);
  if (cutBackLinks(ids, links).back.length === 0) return {};
  return { maxTurns: maxIterations * Math.max(0, ...steps.map((step) => attemptsIn(step, types))) };
}

/** Turns that one execution of a step may take. */
function attemptsIn(step: FlowStep, types: StepTypeFinder): number {
  return flowSteps([step]).reduce(
    (sum, each) => sum + (types.workOf(each.step).agents.length > 0 ? each.step.maxAttempts : 0),
    0,
  );
}

/** Whether what is inside of a step may be carried out more than once: it is given an item or a round then. */
function isRepeating({ type, settings }: FlowStep, types: StepTypeFinder): boolean {
  const { names = [], each } = types.find(type) ?? {};
  return names.length > 0 && (each === undefined || settings[each] !== undefined);
}

/** What a prompt can be foretold from. */
interface Foreknowledge {
  readonly definition: StepsDefinition;
  readonly input: Json | undefined;
}

/** What an agent will be told in a step; what only a run knows is named in ‹…›. */
function plannedText(
  { settings }: FlowStep,
  agent: string,
  { definition, input }: Foreknowledge,
): string {
  const { prompt } = settings;
  const templates = [promptOf(definition, agent), prompt].filter(
    (text) => typeof text === "string",
  );
  if (templates.length === 0) return "‹the input, and what is known by then, as JSON›";
  return templates.map((text) => fillIn(text, input)).join("\n\n");
}

function fillIn(text: string, input: Json | undefined): string {
  const template = parsePromptTemplate(text);
  const lists = new Set(template.nodes.flatMap((node) => listsIn(node, [])));
  const foretold = (name: string): Json =>
    lists.has(name) ? [foretold(`${name}.0`)] : `‹${name}›`;
  const lookup: PromptLookup = {
    find: (segments) => {
      const [root, ...rest] = segments;
      const name = segments.join(".");
      const given = root === "input" && input !== undefined ? valueAt(input, rest) : undefined;
      if (given !== undefined) return { found: true, value: given };
      return { found: true, value: foretold(name) };
    },
    known: () => [],
  };
  return renderPrompt(template, lookup);
}

/** Paths of which a template goes through a list; those of an item lead through the first one of the list around it. */
function listsIn(node: PromptNode, around: readonly string[]): readonly string[] {
  if (node.kind === "text" || node.kind === "value") return [];
  const own = node.kind === "each" ? pathOf(node.reference, around) : undefined;
  const inner = node.body.flatMap((child) => listsIn(child, own ?? around));
  const others = node.otherwise.flatMap((child) => listsIn(child, around));
  return [...(own === undefined ? [] : [own.join(".")]), ...inner, ...others];
}

function pathOf(
  reference: PromptReference,
  around: readonly string[],
): readonly string[] | undefined {
  if (reference.kind === "variable") return reference.segments;
  return reference.kind === "item" ? [...around, "0", ...reference.segments] : undefined;
}
