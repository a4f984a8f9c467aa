import type { KickoffDefinition, PatternDefinition } from "../contracts/definition.ts";
import type {
  AgentInput,
  KickoffSettings,
  PatternBlock,
  PatternSettings,
  PatternStepInput,
  StepsSettings,
  TemplateSettings,
} from "../workflows/builder/file-input.ts";
import type { OwnType, TopStep } from "../workflows/builder/step-input.ts";
import type { WorkflowSketch } from "../workflows/builder/workflow-sketch.ts";
import {
  type BuiltParts,
  type BuiltSteps,
  type BuiltTeam,
  buildSteps,
  buildTeam,
} from "./built-workflow.ts";
import { assertArgument, TEXT } from "./check-options.ts";
import { type TeamBuilder, teamBuilder } from "./team-builder.ts";

/**
 * A workflow that is being written in TypeScript. Each method gives another builder; names of steps and agents that
 * do not exist do not compile. Everything else is checked by the loader, as for a file.
 */
export interface WorkflowBuilder<Agent extends string = never, Own extends OwnType = never> {
  /** What it is for, for people. */
  description(text: string): WorkflowBuilder<Agent, Own>;
  /** One more agent. */
  agent<const Id extends string>(id: Id, agent: AgentInput): WorkflowBuilder<Agent | Id, Own>;
  /** Who takes part, by id; in addition to those that were named before. */
  agents<Id extends string>(
    agents: {
      readonly [id in Id]: AgentInput;
    },
  ): WorkflowBuilder<Agent | Id, Own>;
  /** Agents that are found by their name when the workflow is loaded: agent types, functions of the caller. */
  foundAgents<Id extends string>(...ids: readonly Id[]): WorkflowBuilder<Agent | Id, Own>;
  /** Step types of your own; those of plug-ins by their name. */
  stepTypes<const Types extends readonly OwnType[]>(
    ...types: Types
  ): WorkflowBuilder<Agent, Own | Types[number]>;
  /** A step workflow: it goes from step to step as they say, and begins with the first. */
  steps<
    Id extends string,
    Inner extends string = never,
    Alias extends string = never,
    Context extends string = never,
  >(
    steps: {
      readonly [id in Id]: TopStep<
        FlowNames<Agent, NoInfer<Id>, NoInfer<Inner | Alias | Context>>,
        Inner,
        Alias,
        Own
      >;
    },
    settings?: StepsSettings<Context>,
  ): BuiltSteps<Agent>;
  /** A pattern workflow: the pattern says how the agents work together. More steps may follow. */
  pattern<Name extends string, Id extends string = never, Barrier extends string = never>(
    pattern: Name,
    settings?: PatternSettings<Agent, Id, Barrier> & PatternBlock<Name>,
  ): TeamBuilder<Agent, Id>;
  /** A pattern workflow without a name for its pattern: this step first, and what follows after it. */
  step<const Id extends string>(
    id: Id,
    step: PatternStepInput<Agent, never>,
  ): TeamBuilder<Agent, Id>;
  /** The same with several steps side by side. */
  parallel<Id extends string>(
    steps: {
      readonly [id in Id]: PatternStepInput<Agent, never>;
    },
  ): TeamBuilder<Agent, Id>;
  /** A workflow that begins with one of the templates. */
  template(template: string, settings?: TemplateSettings): BuiltTeam<PatternDefinition>;
  /** A kickoff workflow: its first message wakes the agents that it mentions. */
  kickoff(settings?: KickoffSettings): BuiltTeam<KickoffDefinition>;
}

/** The names of one step workflow. */
interface FlowNames<Agent extends string, Id extends string, Data extends string> {
  readonly step: Id;
  readonly agent: Agent;
  readonly data: Id | Data;
}

/**
 * Begins a workflow.
 *
 * @example
 * ```ts
 * const feature = workflow("feature")
 *   .agents({ planner: { backend: "claude" }, coder: { backend: "codex" } })
 *   .steps({
 *     plan: { type: "agent", agent: "planner", next: "approve" },
 *     approve: { type: "approval", message: "Build it?", onApprove: "code", onReject: "plan" },
 *     code: { type: "agent", agent: "coder", input: "plan" },
 *   });
 * const { success } = await feature.run("Add a dark mode").result;
 *
 * const checks = workflow("checks")
 *   .agent("types", { backend: "command", command: ["npx", "tsc", "--noEmit"] })
 *   .agent("tests", { backend: "command", command: ["npm", "test"] })
 *   .agent("writer", { backend: "claude" })
 *   .parallel({ types: { agent: "types" }, tests: { agent: "tests" } })
 *   .step("report", { agent: "writer", prompt: "{{steps.types.output}} {{steps.tests.output}}" });
 * await checks.run().result;
 * ```
 */
export function workflow(name: string): WorkflowBuilder {
  assertArgument(["workflow", "name"], TEXT, name);
  return builderOf({ name, description: undefined, agents: undefined, foundAgents: [] }, []);
}

type Begun = Omit<WorkflowSketch, "shape" | "steps" | "settings">;

function builderOf(
  begun: Begun,
  ownTypes: BuiltParts["ownTypes"],
): WorkflowBuilder<string, OwnType> {
  const end = (rest: Pick<WorkflowSketch, "shape" | "steps" | "settings">): BuiltParts => ({
    sketch: { ...begun, ...rest },
    ownTypes,
  });
  const chain = () => {
    const settings = { pattern: "dag" };
    return teamBuilder({ sketch: end({ shape: "pattern", steps: {}, settings }).sketch, last: [] });
  };
  return {
    description: (description) => builderOf({ ...begun, description }, ownTypes),
    agent: (id, agent) =>
      builderOf({ ...begun, agents: { ...begun.agents, [id]: agent } }, ownTypes),
    agents: (agents) => builderOf({ ...begun, agents: { ...begun.agents, ...agents } }, ownTypes),
    foundAgents: (...ids) =>
      builderOf({ ...begun, foundAgents: [...begun.foundAgents, ...ids] }, ownTypes),
    stepTypes: (...types) => builderOf(begun, [...ownTypes, ...types]),
    steps: (steps, settings = {}) =>
      buildSteps(end({ shape: "steps", steps, settings: { ...settings } })),
    pattern: (pattern, { steps, ...settings } = {}) => {
      const { sketch } = end({ shape: "pattern", steps, settings: { pattern, ...settings } });
      return teamBuilder({ sketch, last: undefined });
    },
    step: (id, step) => chain().step(id, step),
    parallel: (steps) => chain().parallel(steps),
    template: (template, { steps, ...settings } = {}) =>
      buildTeam(end({ shape: "pattern", steps, settings: { template, ...settings } })),
    kickoff: (settings = {}) =>
      buildTeam(end({ shape: "kickoff", steps: undefined, settings: { ...settings } })),
  };
}
