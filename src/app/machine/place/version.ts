import { readFileSync } from "node:fs";
import { isRecord } from "../../../foundation/json.ts";
import { packageFile } from "../../../foundation/package-file.ts";

/** The version of this package. */
export const VERSION: string = readVersion(packageFile("package.json"));

function readVersion(manifestFile: string): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile, "utf8"));
  if (isRecord(manifest) && typeof manifest["version"] === "string") return manifest["version"];
  throw new Error(`no version in ${manifestFile}`);
}
