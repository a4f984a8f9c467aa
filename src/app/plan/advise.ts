import { assertLoaded } from "../../workflows/load-workflow.ts";
import type { Machine } from "../machine/machine.ts";
import { loadFile } from "../workflow/load-file.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { ADVICE_RULES, type AdviceRule } from "./advice-rules.ts";

/** A pattern that is proposed for a goal. */
export interface Advice {
  readonly pattern: string;
  readonly why: string;
  readonly law: string;
  readonly source: string;
  /** Words of the goal that spoke for it; empty for what is proposed where none did. */
  readonly words: readonly string[];
  /** Turns when nothing fails; `most` is null when nothing bounds them. */
  readonly turns: { readonly least: number; readonly most: number | null };
  /** The workflow to begin with. */
  readonly workflow: string;
}

const FALLBACK = "verifier";
const MOST = 3;

/**
 * Patterns for a goal, the most fitting one first, by its words and the number of agents alone: no model is asked. Raises
 * WORKFLOW_* errors.
 */
export async function advise(
  machine: Machine,
  goal: string,
  agents: number | undefined,
): Promise<readonly Advice[]> {
  const able = ADVICE_RULES.filter(
    ({ leastAgents }) => agents === undefined || leastAgents <= agents,
  );
  const judged = able.map((rule) => ({ rule, words: wordsOf(rule, goal) }));
  const fitting = judged
    .filter(({ words }) => words.length > 0)
    .toSorted((left, right) => right.words.length - left.words.length);
  const chosen =
    fitting.length > 0 ? fitting : judged.filter(({ rule }) => rule.pattern === FALLBACK);
  return Promise.all(
    chosen
      .slice(0, MOST)
      .map(({ rule, words }) =>
        toAdvice(machine, { rule, words, agents: agents ?? rule.leastAgents }),
      ),
  );
}

function wordsOf({ words }: AdviceRule, goal: string): readonly string[] {
  return [...new Set([...goal.matchAll(words)].map(([word]) => word.toLowerCase()))];
}

interface Chosen {
  readonly rule: AdviceRule;
  readonly words: readonly string[];
  readonly agents: number;
}

/** The turns are those of the workflow itself, as its pattern counts them. */
async function toAdvice(machine: Machine, { rule, words, agents }: Chosen): Promise<Advice> {
  const { pattern, why, law, source } = rule;
  const ids = Array.from({ length: agents }, (_, index) => String(index));
  const workflow = `name: my-${pattern}\npattern: ${pattern}\n${rule.begin(ids)}\n`;
  const definition = assertLoaded(
    await loadFile(machine, { file: `${pattern}.yaml`, text: workflow }),
  );
  const { turns } = await (await shapeOf(definition)).limits(definition);
  const { least = 1, most = null } = turns ?? {};
  return { pattern, why, law, source, words, turns: { least, most }, workflow };
}
