import type { Machine } from "../app/machine/machine.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { UserStepType } from "../app/workflow/code/workflow-code.ts";
import type { FileRequest } from "../app/workflow/load-file.ts";
import { otherShape } from "../app/workflow/shapes/errors.ts";
import type {
  KickoffDefinition,
  PatternDefinition,
  StepsDefinition,
  WorkflowDefinition,
} from "../contracts/definition.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import type { FileContent } from "../workflows/builder/to-file.ts";
import type { WorkflowSketch } from "../workflows/builder/workflow-sketch.ts";
import type { ReadableShape } from "../workflows/resolve/file-shape.ts";
import { beginPrepared } from "./begin-run.ts";
import { assertArgument, JSON_VALUE, TEXT } from "./check-options.ts";
import {
  joinCode,
  LOADING,
  type LoadWorkflowOptions,
  loadAny,
  type Workflow,
} from "./load-workflow.ts";
import { checkOptions } from "./option-tables.ts";
import {
  type Loading,
  prepareSteps,
  prepareTask,
  type RunStepsOptions,
  type RunWorkflowOptions,
  STEPS_RUN,
  TEAM_RUN,
} from "./run-workflow.ts";
import { machineFor } from "./sdk-machine.ts";
import { type StepWorkflowRun, toStepRun } from "./step-run.ts";

/** A workflow that was written in TypeScript. It is the same as its file: both are checked and run alike. */
export interface WrittenWorkflow<Definition extends WorkflowDefinition> {
  /** The content of its file: keys as files write them. Rejects with VALUE_NOT_JSON. */
  toFile(): Promise<FileContent>;
  toYaml(): Promise<string>;
  toJson(): Promise<string>;
  /** A module that builds it. */
  toTypeScript(): Promise<string>;
  /** Checks it as a file in the current directory. Rejects with what `loadWorkflow` rejects with. */
  build(options?: LoadWorkflowOptions): Promise<Workflow<Definition>>;
}

/** A step workflow in TypeScript. */
export interface BuiltSteps<Agent extends string = string>
  extends WrittenWorkflow<StepsDefinition> {
  /** Runs it with any JSON as its input. What is wrong with it rejects `result`. */
  run(input?: Json, options?: RunStepsOptions<Agent> & Loading): StepWorkflowRun;
}

/** A pattern or kickoff workflow in TypeScript. */
export interface BuiltTeam<Definition extends PatternDefinition | KickoffDefinition>
  extends WrittenWorkflow<Definition> {
  /** Runs it with a task. What is wrong with it rejects `result`. */
  run(task?: string, options?: RunWorkflowOptions & Loading): WorkflowRun;
}

/** What a workflow is made from: what was said, and the code that belongs to it. */
export interface BuiltParts {
  readonly sketch: WorkflowSketch;
  /** Step types of the caller, and names of those that plug-ins have. */
  readonly ownTypes: readonly (UserStepType | string)[];
}

/** A step workflow of what was said. */
export function buildSteps<Agent extends string>(parts: BuiltParts): BuiltSteps<Agent> {
  return {
    ...write<StepsDefinition>(parts),
    run: (input, options = {}) => {
      checkOptions<RunStepsOptions & Loading>("run", { ...LOADING, ...STEPS_RUN }, options);
      return toStepRun(
        beginPrepared(options, async (machine) => {
          const codeAgents = { ids: new Set(Object.keys(options.agents ?? {})), isOpen: true };
          const loaded = await load<StepsDefinition>(parts, machine, { ...options, codeAgents });
          return prepareSteps(loaded, input, options);
        }),
      );
    },
  };
}

/** A pattern or kickoff workflow of what was said. */
export function buildTeam<Definition extends PatternDefinition | KickoffDefinition>(
  parts: BuiltParts,
): BuiltTeam<Definition> {
  return {
    ...write<Definition>(parts),
    run: (task, options = {}) => {
      if (task !== undefined) assertArgument(["run", "task"], TEXT, task);
      checkOptions<RunWorkflowOptions & Loading>("run", { ...LOADING, ...TEAM_RUN }, options);
      const codeAgents = { ids: new Set(Object.keys(options.functions ?? {})), isOpen: true };
      return beginPrepared(options, async (machine) =>
        prepareTask(
          await load<Definition>(parts, machine, { ...options, codeAgents }),
          task,
          options,
        ),
      ).run;
    },
  };
}

function write<Definition extends WorkflowDefinition>(
  parts: BuiltParts,
): WrittenWorkflow<Definition> {
  const toFile = async () => contentOf(parts, await machineFor({}));
  const printer = () => import("../workflows/convert/print-file.ts");
  return {
    toFile,
    toYaml: async () => (await printer()).printYaml(await toFile()),
    toJson: async () => (await printer()).printJson(await toFile()),
    toTypeScript: async () => {
      const { printTypeScript } = await import("../workflows/convert/print-typescript.ts");
      const ownTypes = parts.ownTypes.map((type) => (typeof type === "string" ? type : type.name));
      return printTypeScript(parts.sketch, { shape: await shapeOfFile(parts), ownTypes });
    },
    build: async (options = {}) => {
      checkOptions("build", LOADING, options);
      return load<Definition>(parts, await machineFor(options), options);
    },
  };
}

/** Raises what loadAny raises. */
async function load<Definition extends WorkflowDefinition>(
  parts: BuiltParts,
  machine: Machine,
  options: Loading & Pick<FileRequest, "codeAgents">,
): Promise<Workflow<Definition>> {
  const { backend, cassette, codeAgents } = options;
  const { shape, name = shape } = parts.sketch;
  const { printJson } = await import("../workflows/convert/print-file.ts");
  const loaded = await loadAny(
    machine,
    {
      file: `${name}.json`,
      text: printJson(await contentOf(parts, machine)),
      ...(codeAgents === undefined ? {} : { codeAgents }),
    },
    { ...joinCode({ stepTypes: declared(parts) }, options), ...present({ backend, cassette }) },
  );
  if (!isOfShape<Definition>(loaded, shape))
    throw otherShape({ file: name, shape: loaded.definition.shape, wanted: shape });
  return loaded;
}

async function contentOf(parts: BuiltParts, machine: Machine): Promise<FileContent> {
  // Before anything walks through it: a cycle would be followed without end.
  for (const part of [parts.sketch.agents, parts.sketch.steps, parts.sketch.settings])
    if (part !== undefined) assertArgument(["workflow", "it"], JSON_VALUE, part);
  const [{ toFile }, { stepTypesFor }] = await Promise.all([
    import("../workflows/builder/to-file.ts"),
    import("../app/workflow/plugins/step-types-for.ts"),
  ]);
  const types = await stepTypesFor(machine, { stepTypes: declared(parts) });
  return toFile(parts.sketch, { shape: await shapeOfFile(parts), types });
}

async function shapeOfFile({ sketch }: BuiltParts): Promise<ReadableShape> {
  const [{ findShape }, { toReadable }] = await Promise.all([
    import("../app/workflow/shapes/registry.ts"),
    import("../workflows/resolve/file-shape.ts"),
  ]);
  return toReadable(findShape(sketch));
}

function declared({ ownTypes }: BuiltParts): readonly UserStepType[] {
  return ownTypes.filter((type) => typeof type !== "string");
}

function isOfShape<Definition extends WorkflowDefinition>(
  workflow: Workflow<WorkflowDefinition>,
  shape: WorkflowDefinition["shape"],
): workflow is Workflow<Definition> {
  return workflow.definition.shape === shape;
}
