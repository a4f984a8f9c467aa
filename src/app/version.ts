import { readFileSync } from "node:fs";
import { isRecord } from "../foundation/json.ts";

/** The version of this package. */
export const VERSION: string = readVersion(new URL("../../package.json", import.meta.url));

function readVersion(packageFile: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile, "utf8"));
  if (isRecord(manifest) && typeof manifest["version"] === "string") return manifest["version"];
  throw new Error(`no version in ${packageFile.href}`);
}
