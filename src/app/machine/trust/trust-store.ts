import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TroupeError } from "../../../foundation/errors.ts";
import { isShortage } from "../../../foundation/shortage.ts";
import { distrustFile } from "../../../host/owned-place.ts";
import { reasonOf, systemErrorCode } from "../../../host/system/system-error.ts";
import { type Environment, stateDirectory } from "../place/project.ts";
import type { AgentFile } from "./agent-files.ts";
import { changeFileAlone } from "./change-file-alone.ts";
import { trustUnreadable, trustUnwritable } from "./errors.ts";

/**
 * Whether a project's configuration may do what needs trust: `given` for this once, `changed` when it was
 * trusted with another content.
 */
export type TrustState = "not-needed" | "trusted" | "given" | "changed" | "untrusted";

/** A project that was trusted. */
export interface TrustedProject {
  /** Absolute, with links followed. */
  readonly directory: string;
  /** SHA-256 of the configuration that was trusted; that of an empty text where there was none. */
  readonly hash: string;
  /** What was trusted of the configuration of agents' programs: SHA-256 by path. Absent: nothing. */
  readonly agentFiles?: { readonly [path: string]: string };
  /** ISO time. */
  readonly trustedAt: string;
}

const trustFile = z.object({
  version: z.literal(1),
  projects: z.array(
    z.object({
      directory: z.string(),
      hash: z.string(),
      agentFiles: z.record(z.string(), z.string()).exactOptional(),
      trustedAt: z.string(),
    }),
  ),
});

/** Where the list of trusted projects is kept. */
export function trustFilePath(env: Environment): string {
  return join(stateDirectory(env), "trust.json");
}

/** Whether a configuration of this content is trusted in a directory; a list that cannot be believed trusts nobody. */
export function readTrust(env: Environment, directory: string, hash: string): TrustState {
  const entry = believed(env).find((project) => project.directory === realpathSync(directory));
  if (entry === undefined) return "untrusted";
  return entry.hash === hash ? "trusted" : "changed";
}

/** Whether anything of a directory is trusted; a list that cannot be believed trusts nobody. */
export function isListedAsTrusted(env: Environment, directory: string): boolean {
  return believed(env).some((project) => project.directory === realpathSync(directory));
}

/** Those of the files whose content is not trusted in a directory; a list that cannot be believed trusts none. */
export function untrustedFiles(
  env: Environment,
  directory: string,
  files: readonly AgentFile[],
): readonly AgentFile[] {
  if (files.length === 0) return files;
  const entry = believed(env).find((project) => project.directory === realpathSync(directory));
  const trusted = new Map(Object.entries(entry?.agentFiles ?? {}));
  return files.filter(({ path, hash }) => hash === undefined || trusted.get(path) !== hash);
}

/** All trusted projects by directory. Raises TRUST_UNREADABLE. */
export function listTrusted(env: Environment): readonly TrustedProject[] {
  const file = trustFilePath(env);
  assertPrivate(file);
  return parse(
    file,
    whereThere(file, () => readFileSync(file, "utf8")),
  );
}

/**
 * Trusts a configuration in a directory, in place of any other, and files of agents' programs beside those that
 * are trusted already. Raises TRUST_UNREADABLE, TRUST_UNWRITABLE.
 */
export function grantTrust(env: Environment, project: TrustedProject): void {
  const directory = realpathSync(project.directory);
  change(env, (projects) => {
    const before = projects.find((other) => other.directory === directory);
    const agentFiles = { ...before?.agentFiles, ...project.agentFiles };
    return [
      ...projects.filter((other) => other !== before),
      { ...project, directory, ...(Object.keys(agentFiles).length === 0 ? {} : { agentFiles }) },
    ];
  });
}

/** Forgets a directory; whether it was trusted. Raises TRUST_UNREADABLE, TRUST_UNWRITABLE. */
export function revokeTrust(env: Environment, directory: string): boolean {
  const real = realpathSync(directory);
  const isKnown = listTrusted(env).some((project) => project.directory === real);
  if (isKnown) change(env, (projects) => projects.filter((project) => project.directory !== real));
  return isKnown;
}

function believed(env: Environment): readonly TrustedProject[] {
  try {
    return listTrusted(env);
  } catch (error) {
    // For lack of descriptors nobody is to be told that she trusts nobody.
    if (error instanceof TroupeError && isShortage(error.cause)) throw error;
    // Nobody is trusted then; `troupe trust` and `troupe doctor` say why.
    return [];
  }
}

function change(
  env: Environment,
  next: (projects: readonly TrustedProject[]) => readonly TrustedProject[],
): void {
  const file = trustFilePath(env);
  assertPrivate(file);
  try {
    changeFileAlone(file, (text) => {
      const projects = [...next(parse(file, text))].sort((left, right) =>
        left.directory < right.directory ? -1 : 1,
      );
      return `${JSON.stringify({ version: 1, projects }, null, 2)}\n`;
    });
  } catch (error) {
    if (error instanceof TroupeError || systemErrorCode(error) === undefined) throw error;
    const isOfDatabase = error instanceof Error && reasonOf(error).startsWith("ERR_");
    const problem = isOfDatabase ? error.message : reasonOf(error);
    throw trustUnwritable({ file, problem }, { cause: error });
  }
}

/** What looking at the file gives; undefined when it is not there. Raises TRUST_UNREADABLE. */
function whereThere<Result>(file: string, look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw trustUnreadable({ file, problem: reasonOf(error) }, { cause: error });
  }
}

function parse(file: string, text: string | undefined): readonly TrustedProject[] {
  if (text === undefined) return [];
  try {
    return trustFile.parse(JSON.parse(text)).projects;
  } catch (error) {
    throw trustUnreadable({ file, problem: "its content is damaged" }, { cause: error });
  }
}

/** Whoever may write to the list decides what runs here. */
function assertPrivate(file: string): void {
  const problem = whereThere(file, () => distrustFile(file));
  if (problem !== undefined) throw trustUnreadable({ file, problem });
}
