import { toJson } from "../../../foundation/json.ts";
import { PARSE_ONCE } from "../../../foundation/parse-once.ts";
import { createProblemCollector, isOk, type Problem } from "../../../workflows/problems/problem.ts";
import { createLineMap } from "../../../workflows/source/line-map.ts";
import { entryOf, nodeAt, type SourceRange } from "../../../workflows/source/source-node.ts";
import { readTrust, type TrustState } from "../trust/trust-store.ts";
import { backendNames, checkDefaultBackend } from "./check-config.ts";
import type { Config, ConfigOrigin, ConfigReading, ConfigValue } from "./config.ts";
import type { ConfigPlace, ConfigRequest } from "./config-files.ts";
import { configSchema } from "./config-schema.ts";
import { defaultValues } from "./default-settings.ts";
import { configNotSupported } from "./errors.ts";
import { hideSecrets } from "./hide-secrets.ts";
import { isAboveCeiling, limitCeilings } from "./limit-ceilings.ts";
import { mergeValues, toSettings, valuesOf } from "./merge-config.ts";
import { needsTrust } from "./needs-trust.ts";
import { type ReadConfigFile, readConfigFile } from "./read-config-file.ts";
import { type KindOf, kindsIn, unsupportedKey } from "./unsupported-values.ts";

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
  const configured = [...layers.keys()].flatMap(({ root }) =>
    root?.kind === "map" ? backendNames(root) : [],
  );
  const unknown = file.root?.kind === "map" ? checkDefaultBackend(file.root, configured) : [];
  const kindOf = kindsIn([...layers.values()].flat());
  for (const { error, range } of unknown) collector.add(error, range);
  for (const value of layers.get(file) ?? []) {
    const key = unsupportedKey(value, kindOf);
    if (key === undefined) continue;
    const { path, reason } = key;
    const error = configNotSupported({ keys: [path.join(".")], reason });
    collector.add(error, keyRange(file, path), { severity: "warning" });
  }
  return collector.sorted();
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
  };
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
