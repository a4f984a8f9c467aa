import type { TroupeError } from "../../../foundation/errors.ts";
import type { Config, ConfigValue } from "./config.ts";
import { configNotSupported, configNotTrusted } from "./errors.ts";

const MAX_NAMES = 6;

/** What is doubtful about a configuration, one short warning each. */
export function configDoubts(config: Config): readonly TroupeError[] {
  const { trust, needingTrust, files, unsupported } = config;
  const file = files.find(({ level }) => level === "project")?.file ?? "";
  const problem = trust === "changed" ? "has changed since it was trusted" : "is not trusted";
  const isLeftOut = trust === "untrusted" || trust === "changed";
  return [
    ...(isLeftOut
      ? [configNotTrusted({ file, problem, keys: shortened(namesOf(needingTrust)) })]
      : []),
    ...(unsupported.length === 0 ? [] : [configNotSupported({ keys: shortened(unsupported) })]),
  ];
}

/** The keys of values, each once. */
export function namesOf(values: readonly ConfigValue[]): readonly string[] {
  return [...new Set(values.map(({ path }) => path.join(".")))];
}

/** The first names of a list, and how many there are beside them. */
export function shortened(names: readonly string[]): readonly string[] {
  if (names.length <= MAX_NAMES) return names;
  return [...names.slice(0, MAX_NAMES), `${names.length - MAX_NAMES} more`];
}
