import type { StepsDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { Json } from "../../../foundation/json.ts";
import { valueAt } from "../../../programs/language/member-of.ts";
import { parsePromptTemplate } from "../../../programs/language/templates/parse-prompt.ts";
import type { PromptLookup } from "../../../programs/language/templates/prompt-lookup.ts";
import type {
  PromptNode,
  PromptReference,
} from "../../../programs/language/templates/prompt-template.ts";
import { renderPrompt } from "../../../programs/language/templates/render-prompt.ts";
import { promptOf } from "../../../programs/steps/parts/agent-prompt.ts";

/** What a prompt can be foretold from. */
export interface Foreknowledge {
  readonly definition: StepsDefinition;
  readonly input: Json | undefined;
}

/** What an agent will be told in a step; what only a run knows is named in ‹…›. */
export function plannedText(
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
