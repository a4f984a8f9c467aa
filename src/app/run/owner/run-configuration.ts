import { isModelProvider } from "../../../agents/backends/parts/model-providers.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { RunConfiguration } from "../../../contracts/events/run-events.ts";
import type { RunRecord } from "../../../fold/state/run-record.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { present } from "../../../foundation/present.ts";
import type { Config, ConfigValue } from "../../machine/config/config.ts";
import { agentFilesInEffect } from "../../machine/effective/agent-trust.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import { shownValues } from "../../machine/effective/shown-values.ts";
import type { Machine } from "../../machine/machine.ts";
import type { Environment } from "../../machine/place/project.ts";
import { projectAgentTypes } from "../../workflow/agent-types.ts";
import { definitionsIn } from "../../workflow/child-workflows.ts";
import { pluginModules } from "../../workflow/plugins/plugin-files.ts";
import { configurationDiffers } from "./errors.ts";

// Owns the comparison of what a run began with and what is configured now (ENG-23).
// C1: a value or file that the run began with and that is missing, changed or no longer trusted stops it, whoever set it.
// C2: what the project adds takes effect in a run that began without it only if a person says `--trust`; what users add
//     to their own configuration takes effect at once.
// C3: secrets are compared as `***`, so a key can be replaced while a run is suspended.

/** Configuration as it takes effect for a new or resumed run. Raises CONFIG_INVALID and what loadConfig raises. */
export async function configurationFor(
  machine: Machine,
  definition: WorkflowDefinition,
  cwd: string,
): Promise<RunConfiguration> {
  const { settings, files, isGiven } = await readInEffect(machine, definition, cwd);
  return toRecord(settings, files, isGiven);
}

/** Compared run: its recorded configuration and where its agents work. */
export interface ConfiguredRun {
  readonly run: string;
  readonly recorded: RunConfiguration;
  readonly definition: WorkflowDefinition;
  readonly cwd: string;
}

/**
 * Returns the configuration that a run is resumed with if it is not the recorded one, or undefined. `acceptsChanges`: a
 * person accepts whatever differs. Raises RUN_CONFIGURATION_DIFFERS and what configurationFor raises.
 */
export async function assertConfiguration(
  machine: Machine,
  { run, recorded, definition, cwd }: ConfiguredRun,
  acceptsChanges: boolean,
): Promise<RunConfiguration | undefined> {
  const inEffect = await readInEffect(machine, definition, cwd);
  const differences = differencesFrom(recorded, inEffect);
  if (!acceptsChanges) {
    const refused = differences.filter(({ isAllowed }) => !isAllowed);
    if (refused.length > 0) throw toError(run, refused, "resume");
  }
  if (differences.length === 0) return undefined;
  const { settings, files, isGiven } = inEffect;
  return toRecord(settings, files, isGiven || recorded.isGiven === true);
}

/**
 * Checks that what a run was trusted with is still trusted, for a new run that continues its work under the current
 * configuration. Raises RUN_CONFIGURATION_DIFFERS and what configurationFor raises.
 */
export async function assertTrust(
  machine: Machine,
  earlier: { readonly run: RunRecord; readonly definition: WorkflowDefinition },
): Promise<void> {
  const { id, configuration: recorded, cwd } = earlier.run;
  if (recorded === undefined) return;
  const inEffect = await readInEffect(machine, earlier.definition, cwd);
  const lost = differencesFrom(recorded, inEffect).filter(
    ({ before, isTrust }) => isTrust && before !== undefined,
  );
  if (lost.length > 0) throw toError(id, lost, "rerun");
}

/** Variables that say where a model is; agents of every kind read them. */
const ADDRESS_VARIABLES = [
  "ANTHROPIC_BASE_URL",
  "OPENAI_BASE_URL",
  "GOOGLE_GEMINI_BASE_URL",
  "OLLAMA_HOST",
] as const;

interface InEffect {
  readonly settings: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  /** Keys that the project's configuration sets, whether or not it is trusted. */
  readonly ofProject: ReadonlySet<string>;
  /** Files that would take effect if the project was trusted. */
  readonly untrusted: ReadonlyMap<string, string>;
  /** Keys that would take effect if the project was trusted, with their values. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Whether something takes effect that is trusted for this command only. */
  readonly isGiven: boolean;
  readonly trustsProject: boolean;
}

async function readInEffect(
  machine: Machine,
  definition: WorkflowDefinition,
  cwd: string,
): Promise<InEffect> {
  const { env, trustsProject } = machine;
  const config = await configOf(machine);
  const takes = config.trust === "trusted" || config.trust === "given";
  const decisive = config.values.filter(isDecisive);
  const settings = new Map([...entriesOf(config, decisive, env), ...addressesIn(config, env)]);
  const leftOut = new Map(takes ? [] : entriesOf(config, config.needingTrust, env));
  const ofProject = [...decisive.filter(isOfProject), ...config.needingTrust].map(keyOf);
  const { files, untrusted } = await filesOf(machine, { config, definition, cwd });
  const isTaken = config.trust === "given" || files.size > 0;
  const sets = { ofProject: new Set(ofProject), untrusted, leftOut };
  return { settings, files, ...sets, isGiven: trustsProject && isTaken, trustsProject };
}

/** Files of the project by path, apart by whether they take effect. */
async function filesOf(
  machine: Machine,
  {
    config,
    definition,
    cwd,
  }: { readonly config: Config; readonly definition: WorkflowDefinition; readonly cwd: string },
): Promise<{
  readonly files: ReadonlyMap<string, string>;
  readonly untrusted: ReadonlyMap<string, string>;
}> {
  const { trustsProject } = machine;
  const agents = definitionsIn(definition).flatMap((each) => each.agents);
  const placed = agents.map((agent) => ({ backend: agent.backend, cwd: agent.cwd ?? cwd }));
  const found = [
    ...agentFilesInEffect(machine, config.settings, placed),
    ...pluginModules(machine, config),
    ...projectAgentTypes(machine),
  ];
  const files = new Map<string, string>();
  const untrusted = new Map<string, string>();
  for (const { path, hash, isTrusted } of found)
    (isTrusted || trustsProject ? files : untrusted).set(path, hash ?? UNREADABLE);
  return { files, untrusted };
}

const UNREADABLE = "unreadable";

/** Keys of `backends.NAME` that decide what is started and where it sends what it knows. */
const BACKEND_KEYS: ReadonlySet<string> = new Set([
  ...["type", "command", "args", "env", "baseUrl", "apiKeyEnv", "api"],
]);

const DECISIVE: ReadonlySet<string> = new Set(["plugins", "roles", "env", "sandbox"]);

function isDecisive({ path, origin }: ConfigValue): boolean {
  if (origin.level === "default") return false;
  const [top = "", second = "", third = ""] = path;
  if (top === "backends") return BACKEND_KEYS.has(third);
  if (top === "permissions") return second === "allow" || second === "deny";
  return DECISIVE.has(top) || path.join(".") === "defaults.permissionMode";
}

function isOfProject({ origin }: ConfigValue): boolean {
  return origin.level === "project";
}

function keyOf({ path, value, isItem }: Pick<ConfigValue, "path" | "value" | "isItem">): string {
  return isItem === true ? `${path.join(".")}[${JSON.stringify(value)}]` : path.join(".");
}

function entriesOf(
  config: Config,
  values: readonly ConfigValue[],
  env: Environment,
): readonly (readonly [string, string])[] {
  return shownValues(config, values.filter(isDecisive), env).map((shown) => {
    const { value, isItem } = shown;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [keyOf(shown), isItem === true ? "set" : text];
  });
}

function addressesIn(config: Config, env: Environment): readonly (readonly [string, string])[] {
  return ADDRESS_VARIABLES.flatMap((name) => {
    const value = env[name];
    if (value === undefined || value === "") return [];
    const asValue: ConfigValue = { path: [name], value, origin: { level: "machine" } };
    const [shown] = shownValues(config, [asValue], env);
    return typeof shown?.value === "string" ? [[name, shown.value] as const] : [];
  });
}

function toRecord(
  settings: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, string>,
  isGiven: boolean,
): RunConfiguration {
  return present({
    settings: settings.size === 0 ? undefined : Object.fromEntries(settings),
    files: files.size === 0 ? undefined : Object.fromEntries(files),
    isGiven: isGiven ? (true as const) : undefined,
  });
}

/** One key or file that is not as it was when the run began. */
interface Difference {
  readonly key: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
  /** Whether it takes effect without a person having to accept it. */
  readonly isAllowed: boolean;
  /** Whether it is as it was as soon as the project is trusted, or takes effect if it is. */
  readonly isTrust: boolean;
}

function differencesFrom(recorded: RunConfiguration, inEffect: InEffect): readonly Difference[] {
  return [
    ...settingDifferences(recorded.settings ?? {}, inEffect),
    ...fileDifferences(recorded.files ?? {}, inEffect),
  ];
}

function settingDifferences(
  recorded: { readonly [key: string]: string },
  { settings, ofProject, leftOut, trustsProject }: InEffect,
): readonly Difference[] {
  const before = new Map(Object.entries(recorded));
  const keys = new Set([...before.keys(), ...settings.keys()]);
  return [...keys].flatMap((key): readonly Difference[] => {
    const [was, now] = [before.get(key), settings.get(key)];
    if (was === now) return [];
    const isAdded = was === undefined;
    const isNewBackend = isAdded && isOfNewBackend(key, before);
    const isAllowed = isAdded && (isNewBackend || trustsProject || !ofProject.has(key));
    const isTrust = isAdded ? ofProject.has(key) : leftOut.get(key) === was;
    return [{ key, before: was, now, isAllowed, isTrust }];
  });
}

/** Whether a key is that of a backend of which the run knew nothing; providers of models are always there. */
function isOfNewBackend(key: string, before: ReadonlyMap<string, string>): boolean {
  const [top, name = ""] = key.split(".");
  if (top !== "backends" || isModelProvider(name)) return false;
  return ![...before.keys()].some((known) => known.startsWith(`backends.${name}.`));
}

function fileDifferences(
  recorded: { readonly [path: string]: string },
  { files, untrusted, trustsProject }: InEffect,
): readonly Difference[] {
  const before = new Map(Object.entries(recorded));
  const keys = new Set([...before.keys(), ...files.keys()]);
  return [...keys].flatMap((key): readonly Difference[] => {
    const [was, now] = [before.get(key), files.get(key)];
    if (was === now) return [];
    const isAdded = was === undefined;
    const isTrust = isAdded || untrusted.get(key) === was;
    return [{ key, before: was, now, isAllowed: isAdded && trustsProject, isTrust }];
  });
}

const MAX_SHOWN = 5;

function toError(
  run: string,
  differences: readonly Difference[],
  command: "resume" | "rerun",
): TroupeError {
  const shown = differences.slice(0, MAX_SHOWN).map(describe);
  const more = differences.length - shown.length;
  return configurationDiffers({
    run,
    command,
    differences: more > 0 ? [...shown, `${more} more`] : shown,
    isTrust: differences.every(({ isTrust }) => isTrust),
  });
}

function describe({ key, before, now, isTrust }: Difference): string {
  if (isTrust && before !== undefined) return `${key} was ${shortOf(before)}, now not trusted`;
  return `${key} was ${shortOf(before)}, now ${shortOf(now)}`;
}

const MAX_VALUE_CHARS = 80;
const SHOWN_HASH_CHARS = 8;

function shortOf(value: string | undefined): string {
  if (value === undefined) return "not set";
  if (/^[0-9a-f]{64}$/.test(value)) return value.slice(0, SHOWN_HASH_CHARS);
  return value.length > MAX_VALUE_CHARS
    ? `${value.slice(0, MAX_VALUE_CHARS).toWellFormed()}…`
    : value;
}
