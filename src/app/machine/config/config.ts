import type { ResourceLimits } from "../../../contracts/host.ts";
import type { Json } from "../../../foundation/json.ts";
import type { Problem } from "../../../workflows/problems/problem.ts";
import type { TrustState } from "../trust/trust-store.ts";
import type { ConfigLevel, ConfigPlace } from "./config-files.ts";
import type { ConfigSettings } from "./config-settings.ts";

/** Where a value came from. */
export interface ConfigOrigin {
  /** `machine`: what was found on it. */
  readonly level: "default" | ConfigLevel | "workflow" | "--backend" | "machine";
  /** Absent where no file says it; that of a workflow as it was named. */
  readonly file?: string;
  readonly line?: number;
}

/** One value of the configuration. */
export interface ConfigValue {
  readonly path: readonly string[];
  readonly value: Json;
  /** One item of a list to which several files add; `path` is that of the list. */
  readonly isItem?: true;
  readonly origin: ConfigOrigin;
}

/** A file of the configuration, read or not there. */
export interface ConfigFile extends ConfigPlace {
  /** SHA-256 of its text; undefined when there is no such file. */
  readonly hash: string | undefined;
}

/** The configuration of a project as it takes effect. */
export interface Config {
  readonly settings: ConfigSettings;
  /** The same, value by value. */
  readonly values: readonly ConfigValue[];
  readonly files: readonly ConfigFile[];
  /** Keys that files set and this version does nothing with, each once. */
  readonly unsupported: readonly string[];
  readonly trust: TrustState;
  /** What the project's file says and would need trust for, whether or not it has it. */
  readonly needingTrust: readonly ConfigValue[];
  /** What the user's own file allows each program of agents at most, whatever others say. */
  readonly ceilings: Partial<ResourceLimits>;
  /** What the runs of a day may cost in USD: all of this user by the user's own file, those of the project by its. Both hold. */
  readonly perDay: { readonly [level in ConfigLevel]?: number };
}

/** What reading the configuration came to: it is there unless some problem is an error. */
export interface ConfigReading {
  readonly config: Config | undefined;
  readonly problems: readonly Problem[];
  /** Texts of the files that problems lie in, without secrets. */
  readonly sources: ReadonlyMap<string, string>;
}
