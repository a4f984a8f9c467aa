import { readFileSync } from "node:fs";
import { isRecord } from "../../../foundation/json.ts";
import { packageFile } from "../../../foundation/package-file.ts";

/** The version of this package. */
export const VERSION: string = readVersion(packageFile("package.json"));

// A bundle has a hash of all its code here.
const HASH = "__BUNDLE_HASH__";
const SOURCES = "sources";

/** The version and which code it is, `0.1.0+1f3c9ab2`, as two of one version may differ; `0.1.0+sources` of files that run as they are. */
export const BUILD: string = `${VERSION}+${HASH.startsWith("_") ? SOURCES : HASH.slice(0, 8)}`;

/** Whether two builds understand each other: they are of the same code, or one runs from sources of the same version. */
export function isSameBuild(one: string, other: string): boolean {
  const [[version, code], [otherVersion, otherCode]] = [one.split("+"), other.split("+")];
  if (version !== otherVersion || code === undefined || otherCode === undefined)
    return one === other;
  return code === otherCode || code === SOURCES || otherCode === SOURCES;
}

function readVersion(manifestFile: string): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile, "utf8"));
  if (isRecord(manifest) && typeof manifest["version"] === "string") return manifest["version"];
  throw new Error(`no version in ${manifestFile}`);
}
