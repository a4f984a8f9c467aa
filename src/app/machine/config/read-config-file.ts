import { realpathSync } from "node:fs";
import { type ErrorFactory, TroupeError } from "../../../foundation/errors.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { PARSE_ONCE } from "../../../foundation/parse-once.ts";
import { createProblemCollector, isOk, type Problem } from "../../../workflows/problems/problem.ts";
import { isInside } from "../../../workflows/resolve/resolve-paths.ts";
import { kindOf } from "../../../workflows/schema/kind-names.ts";
import { schemaProblems } from "../../../workflows/schema/schema-problems.ts";
import { parseSource } from "../../../workflows/source/parse-source.ts";
import { type SourceNode, toValue } from "../../../workflows/source/source-node.ts";
import { distrustProjectFile, distrustUserFile } from "../place/believed-places.ts";
import { readTextFile } from "../place/read-text-file.ts";
import { checkConfig } from "./check-config.ts";
import type { ConfigPlace } from "./config-files.ts";
import { configSchema } from "./config-schema.ts";
import type { ConfigSettings } from "./config-settings.ts";
import {
  configForeign,
  configMissingKey,
  configOutside,
  configSyntax,
  configTooLarge,
  configType,
  configUnknownKey,
  configValue,
} from "./errors.ts";

/** A configuration file that exists. */
export interface ReadConfigFile extends ConfigPlace {
  readonly text: string;
  readonly hash: string;
  /** What the text says; undefined when it cannot be parsed or holds nothing. */
  readonly root: SourceNode | undefined;
  /** Present when no problem is an error. */
  readonly settings: ConfigSettings | undefined;
  readonly problems: readonly Problem[];
}

const MAX_BYTES = 1_048_576;

/**
 * Reads and checks a configuration file; undefined when there is none. A file that leads out of
 * `directory`, if given, raises CONFIG_OUTSIDE; others CONFIG_FOREIGN, CONFIG_TOO_LARGE, FILE_UNREADABLE, FILE_NOT_TEXT.
 */
export async function readConfigFile(
  place: ConfigPlace,
  directory?: string,
): Promise<ReadConfigFile | undefined> {
  const { file } = place;
  const given = await readIfThere(file, directory);
  if (given === undefined) return undefined;
  const text = given.startsWith("\uFEFF") ? given.slice(1) : given;
  const collector = createProblemCollector(file, text);
  const { root, faults } = parseSource(text, file);
  // A file of comments only says nothing, which is fine here.
  for (const { error, range } of faults)
    if (error.code !== "WORKFLOW_EMPTY") collector.add(toConfigError(error), range);
  const settings = root === undefined ? {} : readSettings(root, collector);
  const problems = collector.sorted();
  const hash = sha256(given);
  return { ...place, text, hash, root, settings: isOk(problems) ? settings : undefined, problems };
}

function readSettings(
  root: SourceNode,
  collector: ReturnType<typeof createProblemCollector>,
): ConfigSettings | undefined {
  if (root.kind !== "map") {
    const message = `the configuration must be an object, got ${kindOf(root)}`;
    collector.add(configType({ message }), root);
    return undefined;
  }
  for (const { error, range } of schemaProblems(configSchema, root, "the configuration"))
    collector.add(toConfigError(error), range);
  for (const { error, range } of checkConfig(root)) collector.add(error, range);
  const parsed = configSchema.safeParse(toValue(root), PARSE_ONCE);
  return parsed.success ? parsed.data : undefined;
}

async function readIfThere(
  file: string,
  directory: string | undefined,
): Promise<string | undefined> {
  try {
    const text = await readTextFile(file, MAX_BYTES);
    if (directory !== undefined) assertInside(file, directory);
    const problem =
      directory === undefined ? distrustUserFile(file) : distrustProjectFile(file, directory);
    if (problem !== undefined) throw configForeign({ file, problem });
    return text;
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    if (error.code === "FILE_NOT_FOUND") return undefined;
    if (error.code === "FILE_INPUT_TOO_LARGE")
      throw configTooLarge({ file, limitBytes: MAX_BYTES }, { cause: error });
    throw error;
  }
}

function assertInside(file: string, directory: string): void {
  const real = realpathSync(file);
  if (!isInside(real, realpathSync(directory))) throw configOutside({ file, real });
}

type SaidFactory = ErrorFactory<string, { readonly message: string; readonly hint?: string }>;

const BY_WORKFLOW_CODE: ReadonlyMap<string, SaidFactory> = new Map<string, SaidFactory>([
  ["WORKFLOW_UNKNOWN_KEY", configUnknownKey],
  ["WORKFLOW_TYPE", configType],
  ["WORKFLOW_VALUE", configValue],
  ["WORKFLOW_MISSING_KEY", configMissingKey],
]);

/** The same error under the code that it has in configuration files; all that parsing finds is one code. */
function toConfigError({ code, message, hint }: TroupeError): TroupeError {
  const build = BY_WORKFLOW_CODE.get(code) ?? configSyntax;
  // The only hint that speaks of workflows.
  if (hint === undefined || code === "WORKFLOW_TOO_COMPLEX") return build({ message });
  return build({ message, hint });
}
