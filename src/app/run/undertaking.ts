import type { DayBudget } from "../../agents/budget/day-budget.ts";
import type { AgentFunction } from "../../contracts/agent-function.ts";
import { trajectorySpecOf, type WorkflowDefinition } from "../../contracts/definition.ts";
import type { NameClaim } from "../../contracts/ports/pattern.ts";
import {
  type ContextTokenMasker,
  createContextTokenMasker,
} from "../../foundation/context-token.ts";
import type { ProcessHost } from "../../host/host.ts";
import { type ConfiguredBackends, openBackends } from "../machine/backends/backend-shelf.ts";
import { resourceLimits } from "../machine/config/agent-policy.ts";
import type { Config } from "../machine/config/config.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { gitOptions } from "../machine/effective/agent-surroundings.ts";
import { configOf, maskerOf } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import type { Project } from "../machine/place/project.ts";
import { openPins } from "../machine/trust/pins-store.ts";
import { openEnvironments } from "../workflow/sealed-environment.ts";
import { createPatternRunner, type RunPattern } from "../workflow/shapes/pattern-program.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { type RunSetup, type ToResult, withRoot } from "../workflow/shapes/shape.ts";
import type { CarryOutOptions, RunToCarryOut } from "./owner/carry-out-options.ts";
import { RunHold } from "./owner/run-hold.ts";
import type { OwnedWork } from "./owner/run-owner.ts";
import { createShortageNote, type ShortageNote } from "./owner/shortage-note.ts";

/** A run that is to be carried out, and what this process has for it. */
export interface Undertaking {
  readonly machine: Machine;
  readonly run: RunToCarryOut;
  readonly options: CarryOutOptions;
  readonly settings: ConfigSettings;
  readonly day: DayBudget | undefined;
  readonly setup: RunSetup;
  readonly work: ShapedWork;
  readonly mirror: OwnedWork<never>["mirror"];
  /** Absolute directory of the trajectories that the run leaves; undefined where it leaves none. */
  readonly trajectories: string | undefined;
  readonly masker: ContextTokenMasker;
  readonly shortage: ShortageNote;
  readonly host: ProcessHost;
  readonly hold: RunHold;
}

/** What the shape of the workflow adds to its program, loaded. */
interface ShapedWork {
  readonly runPattern: RunPattern;
  readonly toResult: ToResult;
  readonly isStanding: boolean;
  readonly claims: readonly NameClaim[];
  /** Whether a program of the shape may ask for runs below its own. */
  readonly hasChildren: boolean;
}

/** Reads all that a run needs here, and makes its host. */
export async function undertake(
  machine: Machine,
  run: RunToCarryOut,
  options: CarryOutOptions,
): Promise<Undertaking> {
  const { journal, recipe, identity } = run;
  const { definition } = recipe;
  const { settings, ceilings, perDay } = await configOf(machine);
  const sealed = await openEnvironments(journal.run, definition, machine.secrets);
  const masker = createContextTokenMasker(await maskerOf(machine, { definition, sealed }));
  const shape = await shapeOf(definition, options.code);
  const setup = shape.setup(definition, identity);
  const work = {
    runPattern: createPatternRunner(await shape.loadPatterns?.(), options.code?.routes),
    toResult: await shape.resultOf(definition),
    isStanding: shape.isStanding?.(definition) ?? false,
    claims: (await shape.claims?.(definition)) ?? [],
    hasChildren: shape.children !== undefined,
  };
  const mirror = machine.keepsFiles ? await mirrorFor(setup, machine.project) : undefined;
  const trajectories = await trajectoriesOf(machine, definition);
  const shortage = createShortageNote();
  const host = machine.createHost({
    run: journal.run,
    onShortage: (bounds) => shortage.add(bounds),
    clock: machine.clock,
    env: machine.env,
    allowEnv: settings.env?.allow ?? [],
    sealed,
    masker,
    limits: resourceLimits(settings.limits?.agent),
    ceilings,
    git: gitOptions(machine, journal.run, { contextFiles: setup.contextFiles, trajectories }),
  });
  const hold = new RunHold(machine, journal, host);
  const day = await dayBudgetOf(machine, run, perDay);
  const parts = { setup, work, mirror, trajectories, masker, shortage, host, hold };
  return { machine, run, options, settings, day, ...parts };
}

/** Of the run at the top, which asks for all below it; loaded where there is such a limit. */
async function dayBudgetOf(
  machine: Machine,
  { journal, place }: RunToCarryOut,
  perDay: Config["perDay"],
): Promise<DayBudget | undefined> {
  if (place !== undefined || Object.keys(perDay).length === 0) return undefined;
  const { createDayBudget } = await import("../runs/day-spending.ts");
  return createDayBudget(machine, journal.run, perDay);
}

/** Where the run leaves its trajectory; most runs leave none. Raises TRAIL_DIRECTORY_OUTSIDE. */
async function trajectoriesOf(
  machine: Machine,
  definition: WorkflowDefinition,
): Promise<string | undefined> {
  const spec = trajectorySpecOf(definition);
  if (spec === undefined || !machine.keepsFiles) return undefined;
  const { trajectoryPlace } = await import("../trail/trajectory-place.ts");
  return trajectoryPlace(machine, spec).directory;
}

/** What shows channel and documents in files; most runs have none. */
async function mirrorFor(setup: RunSetup, project: Project): Promise<OwnedWork<never>["mirror"]> {
  const { contextFiles: files, mainChannel } = withRoot(setup, project);
  if (files === undefined) return undefined;
  const { startMirrors } = await import("../../messaging/mirrors/start-mirrors.ts");
  return (runtime) => startMirrors({ runtime, files, mainChannel });
}

/** The backends of its agents. Raises CASSETTE_INVALID. */
export async function backendsOf({
  machine,
  run,
  options,
  settings,
  host,
}: Undertaking): Promise<ConfiguredBackends> {
  const parts = {
    host,
    clock: machine.clock,
    functions: options.functions ?? new Map<string, AgentFunction>(),
    importModule: (path: string): Promise<unknown> => import(path),
    own: options.code?.backends,
    pins: openPins(machine),
    cassette: run.recipe.cassette,
  };
  const backends = await openBackends(parts, settings);
  // Whoever was asked to take part before may have any of them, and goes on without being asked again.
  if (run.beginning.created !== undefined) return backends;
  await backends.loadAll();
  // Nobody looks at a child before it goes on: what one of its backends lacks ends it here.
  if (run.place !== undefined)
    await Promise.all(run.recipe.definition.agents.map(({ backend }) => backends.load(backend)));
  return backends;
}
