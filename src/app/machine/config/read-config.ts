import { isModelProvider } from "../../../agents/backends/parts/model-providers.ts";
import { builtInBackends, describeBackend } from "../../../agents/backends/registry.ts";
import type { ResourceLimits } from "../../../contracts/host.ts";
import { toJson } from "../../../foundation/json.ts";
import { PARSE_ONCE } from "../../../foundation/parse-once.ts";
import { present } from "../../../foundation/present.ts";
import { LIMIT_NAMES } from "../../../host/resource-limits.ts";
import { createProblemCollector, isOk, type Problem } from "../../../workflows/problems/problem.ts";
import { resolveLimits } from "../../../workflows/resolve/resolve-limits.ts";
import {
  type AgentLimitsEntry,
  agentLimitsSchema,
} from "../../../workflows/schema/agent-limits-schema.ts";
import { createLineMap } from "../../../workflows/source/line-map.ts";
import {
  entryOf,
  type MapNode,
  nodeAt,
  type SourceFault,
  type SourceRange,
} from "../../../workflows/source/source-node.ts";
import { readTrust, type TrustState } from "../trust/trust-store.ts";
import { backendNames, checkNamedBackends, checkWaits } from "./check-config.ts";
import type { Config, ConfigOrigin, ConfigReading, ConfigValue } from "./config.ts";
import type { ConfigPlace, ConfigRequest } from "./config-files.ts";
import { configSchema } from "./config-schema.ts";
import { defaultValues } from "./default-settings.ts";
import { configNotSupported } from "./errors.ts";
import { hideSecrets } from "./hide-secrets.ts";
import { mergeValues, toSettings, valuesOf } from "./merge-config.ts";
import { type ReadConfigFile, readConfigFile } from "./read-config-file.ts";

/** Reads the files at the places and merges them over the defaults. Raises what readConfigFile raises. */
export async function readConfig(
  places: readonly ConfigPlace[],
  request: ConfigRequest,
): Promise<ConfigReading> {
  const files = await Promise.all(places.map((place) => readPlace(place, request)));
  const found = files.filter((file) => file !== undefined);
  const layers = new Map(found.map((file) => [file, valuesIn(file)]));
  const problems = found.flatMap((file) =>
    [...file.problems, ...valueProblems(file, layers)].sort(
      (left, right) => left.line - right.line || left.column - right.column,
    ),
  );
  const hidden = hideSecrets(found, problems, request.env);
  if (!isOk(problems)) return { config: undefined, ...hidden };
  return { config: combine({ places, found, layers, request }), ...hidden };
}

function readPlace(
  place: ConfigPlace,
  { project }: ConfigRequest,
): Promise<ReadConfigFile | undefined> {
  return readConfigFile(place, place.level === "project" ? project.root : undefined);
}

function valuesIn({ settings, root, text, file, level }: ReadConfigFile): readonly ConfigValue[] {
  if (settings === undefined) return [];
  const lines = createLineMap(text);
  const originOf = (path: readonly (string | number)[]): ConfigOrigin => {
    const start = nodeAt(root, path)?.start;
    return { level, file, ...(start === undefined ? {} : { line: lines.positionAt(start).line }) };
  };
  return valuesOf(toJson(settings, "a configuration"), originOf);
}

type Layers = ReadonlyMap<ReadConfigFile, readonly ConfigValue[]>;

/** What only the values of all files together show: unknown backends, and keys without an effect. */
function valueProblems(file: ReadConfigFile, layers: Layers): readonly Problem[] {
  const collector = createProblemCollector(file.file, file.text);
  const backends = [...layers.keys()].flatMap(({ root }) =>
    root?.kind === "map" ? backendNames(root) : [],
  );
  const hasPlugins = [...layers.values()].flat().some(({ path: [top] }) => top === "plugins");
  const { root } = file;
  const faults =
    root?.kind === "map"
      ? [...checkNamedBackends(root, { backends, hasPlugins }), ...waitFaults(root, file, layers)]
      : [];
  const kindOf = kindsIn([...layers.values()].flat());
  for (const { error, range } of faults) collector.add(error, range);
  for (const value of layers.get(file) ?? []) {
    const key = unsupportedKey(value, kindOf);
    if (key === undefined) continue;
    const { path, reason } = key;
    const error = configNotSupported({ keys: [path.join(".")], reason });
    collector.add(error, keyRange(file, path), { severity: "warning" });
  }
  return collector.sorted();
}

/** The last file that says how long is waited answers for what it leaves of the others. */
function waitFaults(root: MapNode, file: ReadConfigFile, layers: Layers): readonly SourceFault[] {
  const saying = [...layers].filter(([, values]) =>
    values.some(({ path: [top] }) => top === "collab"),
  );
  if (saying.at(-1)?.[0] !== file) return [];
  const values = mergeValues(
    saying.map(([, each]) => each.filter(({ path: [top] }) => top === "collab")),
  );
  return checkWaits(root, configSchema.parse(toSettings(values), PARSE_ONCE));
}

function keyRange({ root }: ReadConfigFile, path: readonly string[]): SourceRange {
  const entry = entryOf(nodeAt(root, path.slice(0, -1)), path.at(-1) ?? "");
  return entry?.keyRange ?? { start: 0, end: 1 };
}

interface Parts {
  readonly places: readonly ConfigPlace[];
  readonly found: readonly ReadConfigFile[];
  readonly layers: Layers;
  readonly request: ConfigRequest;
}

function combine({ places, found, layers, request }: Parts): Config {
  const project = found.find(({ level }) => level === "project");
  const ofProject = project === undefined ? [] : (layers.get(project) ?? []);
  const needingTrust = ofProject.filter(needsTrust);
  const trust = trustOf(project, needingTrust.length > 0, request);
  const isTrusted = trust === "trusted" || trust === "given";
  const ofUser = found
    .filter(({ level }) => level === "user")
    .flatMap((file) => layers.get(file) ?? []);
  const ceilings = limitCeilings(ofUser);
  const taken = ofProject.filter(
    (value) => (isTrusted || !needsTrust(value)) && !isAboveCeiling(value, ceilings),
  );
  const values = mergeValues([defaultValues(), ofUser, taken]);
  const all = [...layers.values()].flat();
  const kindOf = kindsIn(all);
  return {
    settings: configSchema.parse(toSettings(values), PARSE_ONCE),
    values,
    files: places.map((place) => ({
      ...place,
      hash: found.find(({ file }) => file === place.file)?.hash,
    })),
    unsupported: [...new Set(all.flatMap((value) => unsupportedName(value, kindOf)))],
    trust,
    needingTrust,
    ceilings,
    perDay: present({ user: perDayIn(ofUser), project: perDayIn(taken) }),
  };
}

function perDayIn(values: readonly ConfigValue[]): number | undefined {
  const said = values.find(({ path: [top, key] }) => top === "budget" && key === "perDay");
  return typeof said?.value === "number" ? said.value : undefined;
}

function unsupportedName(value: ConfigValue, kindOf: KindOf): readonly string[] {
  const key = unsupportedKey(value, kindOf);
  return key === undefined ? [] : [key.path.join(".")];
}

function trustOf(
  project: ReadConfigFile | undefined,
  isNeeded: boolean,
  { project: { root }, env, trusts }: ConfigRequest,
): TrustState {
  if (project === undefined || !isNeeded) return "not-needed";
  if (trusts) return "given";
  return readTrust(env, root, project.hash);
}

/**
 * What the user's own configuration says of `limits.agent`: no configuration of a project and no agent gets more. What
 * it leaves out has a default, and that is no ceiling.
 */
function limitCeilings(ofUser: readonly ConfigValue[]): Partial<ResourceLimits> {
  return limitsIn(ofUser);
}

/** Whether a value of a project's configuration would let agents take more than the user's own says. */
function isAboveCeiling(value: ConfigValue, ceilings: Partial<ResourceLimits>): boolean {
  const asked = limitsIn([value]);
  return LIMIT_NAMES.some((name) => (asked[name] ?? 0) > (ceilings[name] ?? Infinity));
}

function limitsIn(values: readonly ConfigValue[]): Partial<ResourceLimits> {
  const entries = values
    .filter(({ path: [top, kind] }) => top === "limits" && kind === "agent")
    .map(({ path, value }) => [path[2], value]);
  // Most have none, and every start reads the configuration.
  if (entries.length === 0) return {};
  const entry: AgentLimitsEntry = agentLimitsSchema.parse(Object.fromEntries(entries), PARSE_ONCE);
  return resolveLimits(entry);
}

// Each of these can make a program run, let agents do more, or send secrets somewhere: what a repository
// brings along must not decide that by itself (SEC-1, T18).
const RULES: readonly ((value: ConfigValue) => boolean)[] = [
  ({ path }) => path[0] === "permissions",
  ({ path }) => path[0] === "plugins",
  ({ path }) => path[0] === "roles",
  ({ path }) => path[0] === "env",
  ({ path }) => path[0] === "sandbox",
  ({ path: [top, , key] }) =>
    top === "backends" &&
    ["type", "command", "args", "env", "baseUrl", "apiKeyEnv"].includes(key ?? ""),
  ({ path, value }) =>
    path.join(".") === "defaults.permissionMode" &&
    (value === "accept-edits" || value === "bypass"),
  ({ path, value }) => path[0] === "engine" && value !== "embedded",
];

/** Whether a value of a project's configuration takes effect only when the project is trusted. */
function needsTrust(value: ConfigValue): boolean {
  return RULES.some((rule) => rule(value));
}

/** A key that this version does nothing with, and why. */
interface UnsupportedKey {
  /** The key with which the sentence begins: a value's own, or one above it. */
  readonly path: readonly string[];
  readonly reason: string;
}

/** What it may say of a provider of models, which has no program. */
const PROVIDER_KEYS: readonly string[] = ["baseUrl", "apiKeyEnv", "api", "contextWindow"];

/** What the configuration may say of a program that is an agent. */
const PROGRAM_KEYS: readonly string[] = [
  ...["type", "command", "args", "env", "model", "baseUrl", "apiKeyEnv"],
];

/** Says of a backend's name what it is: the type that some file gives it, else the name itself. */
type KindOf = (backend: string) => string;

/** The key of a value that changes nothing in this version; undefined for all others. */
function unsupportedKey({ path, value }: ConfigValue, kindOf: KindOf): UnsupportedKey | undefined {
  const [top = "", second = "", third = ""] = path;
  if (top === "engine" && value !== "embedded")
    return { path, reason: "runs are carried out by the embedded engine" };
  if (top === "backends") return unsupportedBackendKey(second, third, kindOf(second));
  return undefined;
}

/** The kinds of the backends that these values are about. */
function kindsIn(values: readonly ConfigValue[]): KindOf {
  const types = new Map(
    values.flatMap(({ path: [top, name = "", key], value }) =>
      top === "backends" && key === "type" && typeof value === "string" ? [[name, value]] : [],
    ),
  );
  return (backend) => types.get(backend) ?? backend;
}

function unsupportedBackendKey(
  backend: string,
  key: string,
  kind: string,
): UnsupportedKey | undefined {
  const path = ["backends", backend, key];
  if (isModelProvider(kind)) {
    const reason =
      "a provider of models has no program: it takes baseUrl, apiKeyEnv, api, contextWindow";
    return PROVIDER_KEYS.includes(key) ? undefined : { path, reason };
  }
  if (!builtInBackends.some(({ name }) => name === kind)) {
    return { path: ["backends", backend], reason: `it cannot run ${kind} agents yet` };
  }
  const described = describeBackend(backend);
  const own = described?.isFixed === true ? described : describeBackend(kind);
  if (own?.configKeys?.includes(key) ?? PROGRAM_KEYS.includes(key)) return undefined;
  const who = own === described ? backend : kind;
  return { path, reason: `${who} agents take no ${key} from it` };
}
