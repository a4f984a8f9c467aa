import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { TroupeError } from "../../../foundation/errors.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { isInside } from "../../../workflows/resolve/resolve-paths.ts";
import type { Config, ConfigValue } from "../../machine/config/config.ts";
import type { ConfigLevel } from "../../machine/config/config-files.ts";
import type { AgentFileTrust, TrustSurroundings } from "../../machine/effective/agent-trust.ts";
import type { AgentFile } from "../../machine/trust/agent-files.ts";
import { untrustedFiles } from "../../machine/trust/trust-store.ts";
import { pluginNotTrusted } from "./errors.ts";

/** A module that the configuration names. */
export interface PluginFile {
  /** Absolute. */
  readonly file: string;
  readonly level: ConfigLevel;
  /** Whether it may be loaded: it is the user's own, or the project's and trusted as it is now. */
  readonly isTrusted: boolean;
  /** The files of the project that it is made of; empty when it is the user's own. */
  readonly modules: readonly AgentFileTrust[];
}

/** The plug-ins that take effect, in the order of the configuration: the user's before the project's. */
export function pluginFiles(
  surroundings: TrustSurroundings,
  { values }: Pick<Config, "values">,
): readonly PluginFile[] {
  return values.flatMap((value) => pluginOf(surroundings, value));
}

/** A warning when plug-ins of the project are left out; a configuration that is not trusted names none. */
export function pluginDoubts(
  surroundings: TrustSurroundings,
  config: Pick<Config, "values">,
): readonly TroupeError[] {
  const { root } = surroundings.project;
  const left = pluginFiles(surroundings, config).filter(({ isTrusted }) => !isTrusted);
  if (left.length === 0) return [];
  return [pluginNotTrusted({ files: left.map(({ file }) => relative(root, file)) })];
}

/** The files of a project that its plug-ins are made of, whether or not the project is trusted. */
export function pluginModules(
  surroundings: TrustSurroundings,
  { values, needingTrust }: Pick<Config, "values" | "needingTrust">,
): readonly AgentFileTrust[] {
  const plugins = [...values, ...needingTrust].flatMap((value) => pluginOf(surroundings, value));
  const modules = plugins.flatMap((plugin) => plugin.modules);
  return [...new Map(modules.map((module) => [module.path, module])).values()];
}

function pluginOf(
  { env, project, trustsProject }: TrustSurroundings,
  { path: [top], value, origin }: ConfigValue,
): readonly PluginFile[] {
  if (top !== "plugins" || typeof value !== "string" || origin.file === undefined) return [];
  const file = resolve(dirname(origin.file), value);
  if (origin.level !== "project") return [{ file, level: "user", isTrusted: true, modules: [] }];
  const all = modulesOf(file, project.root);
  const left = new Set(trustsProject ? [] : untrustedFiles(env, project.root, all));
  const modules = all.map((module) => ({ ...module, isTrusted: !left.has(module) }));
  // What leads out of the project is none of its files, however much it is trusted.
  const isTrusted = modules.every((module) => module.isTrusted && module.hash !== undefined);
  return [{ file, level: "project", isTrusted, modules }];
}

const MAX_MODULES = 200;

const MAX_BYTES = 1_048_576;

const RELATIVE_IMPORT = /\b(?:from|import|require)\s*\(?\s*["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;

/**
 * The files of a project that a module is made of: itself and what it imports by relative paths, from there on.
 * Packages are not among them. What lies outside of the project, is too large or too much has no hash.
 */
function modulesOf(file: string, root: string): readonly AgentFile[] {
  const found = new Map<string, AgentFile>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    const path = relative(root, next);
    const text = found.size < MAX_MODULES ? textOf(next, root) : undefined;
    found.set(next, { path, hash: text === undefined ? undefined : sha256(text) });
    if (found.size > MAX_MODULES) break;
    for (const [, specifier = ""] of (text ?? "").matchAll(RELATIVE_IMPORT)) {
      const target = resolve(dirname(next), specifier);
      // An import of what is not there fails by itself.
      if (existsSync(target)) waiting.push(target);
    }
  }
  return [...found.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

function textOf(file: string, root: string): string | undefined {
  try {
    const info = statSync(file);
    // Whoever opens a pipe waits for its other end.
    if (!info.isFile() || info.size > MAX_BYTES) return undefined;
    if (!isInside(realpathSync(file), realpathSync(root))) return undefined;
    return readFileSync(file, "latin1");
  } catch {
    // Unreadable or gone: it cannot be trusted, and the import says why it fails.
    return undefined;
  }
}
