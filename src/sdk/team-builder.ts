import type { PatternDefinition } from "../contracts/definition.ts";
import type { AgentInput, PatternStepInput } from "../workflows/builder/file-input.ts";
import type { WorkflowSketch } from "../workflows/builder/workflow-sketch.ts";
import { type BuiltTeam, buildTeam } from "./built-workflow.ts";

/**
 * A pattern workflow that is written step by step; it can be run at any point. Names of steps and agents that do not
 * exist yet do not compile.
 */
export interface TeamBuilder<Agent extends string = never, Step extends string = never>
  extends BuiltTeam<PatternDefinition> {
  /** One more agent. */
  agent<const Id extends string>(id: Id, agent: AgentInput): TeamBuilder<Agent | Id, Step>;
  /**
   * One more step. Where no pattern was named, it begins when all that was added right before it is done, unless
   * `dependsOn` says otherwise.
   */
  step<const Id extends string>(
    id: Id,
    step: PatternStepInput<Agent, Step>,
  ): TeamBuilder<Agent, Step | Id>;
  /** Steps side by side; the step after them waits for all of them. */
  parallel<Id extends string>(
    steps: {
      readonly [id in Id]: PatternStepInput<Agent, Step>;
    },
  ): TeamBuilder<Agent, Step | Id>;
}

/** What was said so far. */
export interface SaidTeam {
  readonly sketch: WorkflowSketch;
  /** Steps that the next one waits for; undefined where the pattern says who waits for whom. */
  readonly last: readonly string[] | undefined;
}

/** A pattern workflow of what was said so far, which can go on. */
export function teamBuilder(said: SaidTeam): TeamBuilder<string, string> {
  const { sketch } = said;
  const add = (steps: { readonly [id: string]: object }) => teamBuilder(withSteps(said, steps));
  return {
    ...buildTeam<PatternDefinition>({ sketch, ownTypes: [] }),
    agent: (id, agent) => {
      const agents = { ...sketch.agents, [id]: agent };
      return teamBuilder({ ...said, sketch: { ...sketch, agents } });
    },
    step: (id, step) => add({ [id]: step }),
    parallel: add,
  };
}

function withSteps({ sketch, last }: SaidTeam, steps: { readonly [id: string]: object }): SaidTeam {
  const isOrdered = last !== undefined && last.length > 0;
  const placed = Object.entries(steps).map(([id, step]) => {
    return [id, isOrdered ? { dependsOn: [...last], ...step } : step] as const;
  });
  return {
    sketch: { ...sketch, steps: { ...sketch.steps, ...Object.fromEntries(placed) } },
    last: last === undefined ? undefined : Object.keys(steps),
  };
}
