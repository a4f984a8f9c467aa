import { readFileSync } from "node:fs";
import { isRecord } from "../../../foundation/json.ts";
import { packageFile } from "../../../foundation/package-file.ts";

/** The version of this package. */
export const VERSION: string = readVersion(packageFile("package.json"));

// A bundle has a hash of all its code here.
const CODE = "__BUNDLE_HASH__";

/** The version and which code it is, `0.1.0+1f3c9ab2`: two checkouts of one version may differ. Sources that run as they are have the version alone. */
export const BUILD: string = CODE.startsWith("_") ? VERSION : `${VERSION}+${CODE.slice(0, 8)}`;

function readVersion(manifestFile: string): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile, "utf8"));
  if (isRecord(manifest) && typeof manifest["version"] === "string") return manifest["version"];
  throw new Error(`no version in ${manifestFile}`);
}
