import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What the checks read of package.json. */
export interface Manifest {
  readonly dependencies?: { readonly [name: string]: string };
  readonly devDependencies?: { readonly [name: string]: string };
}

/** What the checks read of an entry of package-lock.json. */
export interface LockedPackage extends Manifest {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

/** A package that was installed from somewhere, with its name. */
export interface InstalledPackage extends LockedPackage {
  readonly name: string;
}

/** The package.json of a project. */
export function readManifest(project: string): Manifest {
  return readJson(join(project, "package.json"));
}

/** The entries of package-lock.json by path; that of the project itself has the empty path. */
export function readLock(project: string): { readonly [path: string]: LockedPackage } {
  const { packages }: { packages?: { [path: string]: LockedPackage } } = readJson(
    join(project, "package-lock.json"),
  );
  if (packages === undefined) throw new Error(`${project}: package-lock.json is older than npm 7`);
  return packages;
}

/** The locked packages that come from outside of the project. */
export function installedPackages(project: string): readonly InstalledPackage[] {
  return Object.entries(readLock(project)).flatMap(([path, entry]) => {
    const name = path.split("node_modules/").at(-1);
    if (name === undefined || name === path || entry.link === true) return [];
    return [{ ...entry, name }];
  });
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, "utf8"));
}
