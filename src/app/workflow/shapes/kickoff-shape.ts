import { describeBackend } from "../../../agents/backends/registry.ts";
import type { KickoffDefinition } from "../../../contracts/definition.ts";
import type { GraphEdge, GraphNode, WorkflowGraph } from "../../../contracts/graph.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { findMentions } from "../../../messaging/mentions.ts";
import { kickoffProgram } from "../../../programs/kickoff/kickoff.ts";
import { toKickoffResult } from "../../../programs/kickoff/kickoff-result.ts";
import {
  contextFilesOf,
  renderName,
  usesTask,
} from "../../../programs/kickoff/kickoff-variables.ts";
import { ownText } from "../../../programs/kickoff/own-text.ts";
import { taskMissing, taskUnused } from "../../../workflows/errors.ts";
import { kickoffMissing } from "../../../workflows/kickoff/errors.ts";
import { kickoffDefinitionSchema } from "./definition-schema.ts";
import { withoutSteps } from "./errors.ts";
import type { RunSetup, ShapeSetting, WorkflowShape } from "./shape.ts";
import { STANDALONE_PROGRAM } from "./standalone.ts";

const conversation = kickoffProgram(describeBackend);
/** An agent of its own: the conversation of one. */
const standalone = kickoffProgram(describeBackend, STANDALONE_PROGRAM);

/** Workflows that begin with a message; what follows is up to the agents. */
export const kickoffShape: WorkflowShape<KickoffDefinition> = {
  schema: () => kickoffDefinitionSchema,
  label: () => "kickoff",
  program: async () => conversation,
  programNamed: async (name) => [conversation, standalone].find((known) => known.name === name),
  complete: (definition) => definition,
  setup: setupOf,
  isStanding: ({ until }) => until === "stopped",
  resultOf: async () => (source) => toJson(toKickoffResult(source), "the result of a run"),
  steps: () => [],
  ordered: () => [],
  takesInput: false,
  inputErrors: async (definition, { task }) => {
    const { name: workflow, kickoff, until } = definition;
    const isTaskMissing = task === undefined && usesTask(definition);
    return [
      ...(until === "idle" && kickoff === undefined ? [kickoffMissing({ workflow })] : []),
      ...(isTaskMissing ? [taskMissing({ workflow, user: "it uses ${{ task }}" })] : []),
    ];
  },
  inputWarnings: async (definition, { task }) => {
    const isUnused = task !== undefined && !usesTask(definition);
    const place = "put ${{ task }} into the kickoff";
    return isUnused ? [taskUnused({ workflow: definition.name, place })] : [];
  },
  withMaxConcurrency: ({ name: workflow }) => {
    throw withoutSteps({ workflow });
  },
  graph,
  settings,
  limits: async ({ agents, bounds }) => {
    const { turnsPerAgent } = bounds;
    const maxTurns = turnsPerAgent === undefined ? {} : { maxTurns: turnsPerAgent * agents.length };
    return { maxConcurrency: null, onFailure: null, ...maxTurns };
  },
  commands: ({ setup }) => setup.map(({ shell }) => shell),
  plan: {
    kind: "rehearsed",
    rehearsed: ({ timeoutMs: _timeoutMs, budget: _budget, ...definition }) => ({
      ...definition,
      // What waits to be stopped would never end by itself.
      until: "idle",
    }),
    standInOf:
      async () =>
      ({ agent }) =>
        `‹output of ${agent}›`,
  },
};

function setupOf(
  definition: KickoffDefinition,
  run: Parameters<WorkflowShape["setup"]>[1],
): RunSetup {
  const { context, channel, setup, trajectory } = definition;
  const contextFiles = contextFilesOf(definition, run);
  const hasChannel = context?.channel !== undefined;
  return {
    mainChannel: renderName(channel, run),
    markers: [],
    stepTotal: setup.length,
    stepBudgets: new Map(),
    isMessageDriven: true,
    isExclusive: true,
    announces: hasChannel ? "text" : "none",
    shares: {
      channel: hasChannel,
      document: context?.document !== undefined,
      ...present({ trajectory: trajectory && (true as const) }),
    },
    ...(contextFiles === undefined ? {} : { contextFiles }),
  };
}

/** Setup commands in their order, and the agents; those that the kickoff mentions come after them. */
async function graph({ setup, agents, kickoff = "" }: KickoffDefinition): Promise<WorkflowGraph> {
  const steps = setup.map((_, index): GraphNode => {
    const id = `setup-${index + 1}`;
    return { id, kind: "step", label: id };
  });
  const known = agents.map(({ id }) => id);
  const { mentions } = findMentions(ownText(kickoff), { known, sender: "system" });
  const last = steps.at(-1)?.id;
  const order = steps.flatMap(({ id }, index): readonly GraphEdge[] => {
    const from = steps[index - 1]?.id;
    return from === undefined ? [] : [{ from, to: id, kind: "order" }];
  });
  const begins = mentions.map((id): GraphEdge => {
    return { from: last ?? "", to: `agent:${id}`, kind: "order" };
  });
  const watching = agents.flatMap(({ id, shadow }): readonly GraphEdge[] =>
    shadow === undefined ? [] : [{ from: `agent:${shadow.of}`, to: `agent:${id}`, kind: "shadow" }],
  );
  return {
    nodes: [
      ...steps,
      ...agents.map(({ id, backend }): GraphNode => {
        return { id: `agent:${id}`, kind: "agent", label: id, backend };
      }),
    ],
    edges: [...order, ...(last === undefined ? [] : begins), ...watching],
  };
}

function settings({ timeoutMs, quietMs, bounds }: KickoffDefinition): readonly ShapeSetting[] {
  return [
    ...(timeoutMs === undefined
      ? []
      : [
          {
            path: ["timeout"],
            value: formatDuration(timeoutMs),
            inFile: ["options", "timeout"],
            inConfig: ["defaults", "timeout"],
          },
        ]),
    { path: ["quiet"], value: formatDuration(quietMs), inFile: ["options", "quiet"] },
    ...Object.entries(bounds).map(([key, value]) => {
      return { path: ["bounds", key], value, inFile: ["options", "bounds", key] };
    }),
  ];
}
