import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment, Project } from "../place/project.ts";

/** Whose configuration a file is. */
export type ConfigLevel = "user" | "project";

/** A place where configuration is looked for. */
export interface ConfigPlace {
  readonly level: ConfigLevel;
  /** Absolute. */
  readonly file: string;
}

/** Whose configuration is read, and whether the project's takes effect without having been trusted. */
export interface ConfigRequest {
  readonly project: Project;
  readonly env: Environment;
  /** `--trust`: this once. */
  readonly trusts: boolean;
}

/** The files that are read, the later ones over the earlier ones. */
export function configPlaces(project: Project, env: Environment): readonly ConfigPlace[] {
  return [
    { level: "user", file: join(userConfigDirectory(env), "config.yaml") },
    { level: "project", file: join(project.troupeDirectory, "config.yaml") },
  ];
}

/** Where the user's configuration is: TROUPE_HOME, else the XDG configuration directory. */
export function userConfigDirectory(env: Environment): string {
  const { TROUPE_HOME: home, XDG_CONFIG_HOME: xdg, HOME: login } = env;
  if (home !== undefined && home !== "") return home;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(login || homedir(), ".config");
  return join(base, "troupe");
}
