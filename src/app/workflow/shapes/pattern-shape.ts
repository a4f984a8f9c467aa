import { describeBackend } from "../../../agents/backends/registry.ts";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { PatternDefinition } from "../../../contracts/definition.ts";
import type { WorkflowGraph } from "../../../contracts/graph.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { toWorkflowResult } from "../../../programs/patterns/workflow-result.ts";
import { channelNameOf } from "../../../programs/primitives/channel-name.ts";
import { DEFAULT_BOUNDS } from "../../../programs/primitives/own-turns.ts";
import { crewOf, withImpliedSteps } from "../../../programs/primitives/shadows/crew.ts";
import { dependenciesIn, stepOrder } from "../../../programs/primitives/step-order.ts";
import { demandedMarker } from "../../../signals/decide-completion.ts";
import { missingTask, unusedTask } from "../../../workflows/task.ts";
import { NO_CODE, type WorkflowCode } from "../code/workflow-code.ts";
import { patternDefinitionSchema } from "./definition-schema.ts";
import {
  knownPatterns,
  loadPattern,
  patternProgram,
  patternProgramNamed,
  patternToRead,
} from "./pattern-program.ts";
import type {
  OrderedStep,
  RehearsedTurn,
  RunIdentity,
  RunSetup,
  ShapeSetting,
  WorkflowShape,
} from "./shape.ts";

/** What must stand before the text of a signal that is more than text. */
const REQUIRED: ReadonlyMap<string, string> = new Map([
  ["VOTE", "approve, "],
  ["PROGRESS", "100% "],
  ["FITNESS", "1 "],
  ["DEPOSIT", "key 1 "],
]);

/**
 * What stands for the work of an agent: the signals that its role, its step and the barriers wait for, each with a
 * placeholder that names the step.
 */
async function standInOf(
  definition: PatternDefinition,
  code: WorkflowCode,
): Promise<(turn: RehearsedTurn) => string> {
  if (definition.turns === undefined) return (turn) => stepAnswer(definition, turn);
  const { members } = await patternToRead(definition.pattern, code);
  const crew = members?.(definition) ?? definition.agents;
  return ({ agent }) => roleAnswer(crew, agent);
}

function stepAnswer({ steps, barriers }: PatternDefinition, turn: RehearsedTurn): string {
  const { agent, step: id, demandsSignal } = turn;
  const output = `‹output of ${id ?? agent}›`;
  const step = steps.find((candidate) => candidate.id === id);
  const marker = demandedMarker({ expects: step?.expects, demandsSignal });
  const awaited = barriers
    .filter(({ waitFor }) => waitFor.includes(agent))
    .map(({ signal }) => signal);
  const given = new Set([...awaited.filter((signal) => signal !== marker)]);
  const lines = [...given].map((signal) => withMarker(signal, `‹${signal} of ${agent}›`));
  return [...lines, marker === undefined ? output : withMarker(marker, output)].join("\n");
}

/** A member of a pattern without steps says all that its role can say, but what would send its task to others. */
function roleAnswer(members: readonly AgentSpec[], agent: string): string {
  const { signals = [] } = members.find(({ id }) => id === agent) ?? {};
  const kinds = signals.filter((kind) => kind !== "handoff" && kind !== "concede");
  const text = `‹what ${agent} says›`;
  return [...kinds.map((kind) => withMarker(kind.toUpperCase(), text)), `DONE: ${text}`].join("\n");
}

function withMarker(marker: string, text: string): string {
  return `${marker}: ${REQUIRED.get(marker) ?? ""}${text}`;
}

/** Workflows in which a pattern organises the agents and their steps. */
export const patternShape: WorkflowShape<PatternDefinition> = createPatternShape(NO_CODE);

function createPatternShape(code: WorkflowCode): WorkflowShape<PatternDefinition> {
  const read = ({ pattern }: PatternDefinition) => patternToRead(pattern, code);
  return {
    with: createPatternShape,
    patterns: ({ pattern }) => [pattern],
    routeTests: async (definition) => (await read(definition)).tests?.(definition) ?? [],
    claims: async (definition) => (await read(definition)).claims?.(definition) ?? [],
    check: async (definition) => {
      const [{ checkWritten }, pattern] = await Promise.all([
        import("../../../workflows/checks/check-written.ts"),
        loadPattern(definition.pattern, code),
      ]);
      return checkWritten(definition, pattern);
    },
    schema: () => patternDefinitionSchema,
    label: ({ pattern }) => pattern,
    program: ({ pattern }, given = code) => patternProgram(pattern, given),
    programNamed: (name, given = code) => patternProgramNamed(name, given),
    complete: (definition) => complete(definition, code),
    setup: setupOf,
    resultOf: async (definition) => {
      const parts = { pattern: await read(definition), definition };
      return (source, returned) =>
        toJson(toWorkflowResult(source, parts, returned), "the result of a run");
    },
    steps: ({ steps }) => steps,
    ordered: (definition) => ordered(definition, code),
    takesInput: false,
    inputErrors: async (definition, { task }) =>
      listOf(missingTask(definition, task, describeBackend)),
    inputWarnings: async (definition, { task }) =>
      listOf(unusedTask(definition, task, describeBackend)),
    withMaxConcurrency: (definition, maxConcurrency) => ({ ...definition, maxConcurrency }),
    graph: async (definition) => graphOf(definition, await read(definition)),
    settings,
    limits: async (definition) => {
      const { maxConcurrency = null, onFailure, turns: rules } = definition;
      const pattern = rules === undefined ? undefined : await read(definition);
      return { maxConcurrency, onFailure, ...present({ turns: pattern?.turns?.(definition) }) };
    },
    commands: () => [],
    plan: {
      kind: "rehearsed",
      rehearsed: withoutBounds,
      standInOf: (definition) => standInOf(definition, code),
    },
  };
}

/**
 * A pattern that gives turns itself never becomes a step per agent, whatever made its definition: without rules for its
 * turns it gets the plainest. A pattern that is not here, such as an own one without its code, is one of these.
 */
function complete(definition: PatternDefinition, code: WorkflowCode): PatternDefinition {
  const known = knownPatterns(code).find(({ name }) => name === definition.pattern);
  const { steps, turns } = definition;
  const givesTurns = (known?.order ?? "mode") === "mode";
  if (!givesTurns || steps.length > 0 || turns !== undefined) return withImpliedSteps(definition);
  return {
    ...definition,
    turns: { maxAttempts: 1, retryDelayMs: 0 },
    bounds: definition.bounds ?? DEFAULT_BOUNDS,
  };
}

function setupOf(definition: PatternDefinition, { id: run }: RunIdentity): RunSetup {
  const { channel, barriers, steps, turns, agents, stigmergy: trails } = definition;
  const { reflection, trajectory } = definition;
  return {
    mainChannel: channelNameOf(channel, run),
    markers: [...new Set(barriers.map(({ signal }) => signal))],
    stepTotal: turns === undefined ? steps.length : crewOf(agents).length,
    stepBudgets: new Map(
      steps.flatMap(({ id, budget }) => (budget === undefined ? [] : [[id, budget] as const])),
    ),
    isMessageDriven: false,
    isExclusive: false,
    announces: "none",
    shares: {
      channel: true,
      document: true,
      ...present({
        trails,
        reflection: reflection && (true as const),
        trajectory: trajectory && (true as const),
      }),
    },
  };
}

async function graphOf(
  definition: PatternDefinition,
  pattern: Omit<Pattern, "run">,
): Promise<WorkflowGraph> {
  const { agents, turns, mode } = definition;
  const [{ graphOfMembers }, { graphOfSteps }] = await Promise.all([
    import("../../../observers/graph/graph-of-members.ts"),
    import("../../../observers/graph/graph-of-steps.ts"),
  ]);
  if (turns !== undefined) return graphOfMembers(agents, pattern.links?.(definition) ?? []);
  const order = stepOrder(pattern, mode);
  return pattern.graph?.(definition) ?? graphOfSteps(definition, order);
}

function ordered(
  { steps, pattern, mode }: PatternDefinition,
  code: WorkflowCode,
): readonly OrderedStep[] {
  const known = knownPatterns(code).find(({ name }) => name === pattern);
  const dependsOn = dependenciesIn(stepOrder(known ?? { order: "mode" }, mode), steps);
  return steps.map((step) => {
    const { id, agent } = step;
    return { id, ...present({ agent }), dependsOn: [...new Set(dependsOn(step))] };
  });
}

function listOf<Item>(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}

function settings({
  pattern,
  timeoutMs,
  maxConcurrency,
}: PatternDefinition): readonly ShapeSetting[] {
  const bound = (key: string, value: string | number): ShapeSetting => ({
    path: [key],
    value,
    inFile: ["options", key],
    inConfig: ["defaults", key],
  });
  return [
    { path: ["pattern"], value: pattern, inFile: ["pattern"] },
    ...(timeoutMs === undefined ? [] : [bound("timeout", formatDuration(timeoutMs))]),
    ...(maxConcurrency === undefined ? [] : [bound("maxConcurrency", maxConcurrency)]),
  ];
}

/** Conditions are decided and checks are made at run time; neither they nor bounds may hide a step. */
function withoutBounds(given: PatternDefinition): PatternDefinition {
  const { timeoutMs: _timeoutMs, budget: _budget, turns, reflection, ...definition } = given;
  return {
    ...definition,
    // What is said in place of agents is no occasion to reflect; prompts tell of it all the same.
    ...present({ reflection: reflection && { ...reflection, threshold: Number.MAX_VALUE } }),
    ...present({ turns: turns && { ...turns, bounds: {} } }),
    agents: definition.agents.map(({ budget: _, ...agent }) => agent),
    steps: definition.steps.map(
      ({ when: _when, timeoutMs: _ms, budget: _own, runs: _, ...step }) => ({
        ...step,
        verify: [],
      }),
    ),
  };
}
