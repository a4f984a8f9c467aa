import { resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";
import type { Finding } from "./finding.ts";
import { type InstalledPackage, installedPackages } from "./project-files.ts";

const PERMISSIVE =
  /^\(?(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Unlicense|CC0-1\.0|CC-BY-[34]\.0|BlueOak-1\.0\.0|Python-2\.0|Zlib)\b/;

/** Finds licences that oblige whoever ships the package. */
export function checkLicences({ prompt, cwd }: AgentFunctionInput): readonly Finding[] {
  return installedPackages(resolve(cwd, prompt)).flatMap((entry) => {
    const { name, license } = entry;
    if (license !== undefined && PERMISSIVE.test(license)) return [];
    const problem = license === undefined ? "states no licence" : `is licensed ${license}`;
    return [{ severity: severityOf(entry), name, problem }];
  });
}

/** What is used for development only is not shipped. */
function severityOf({ license = "", dev }: InstalledPackage): Finding["severity"] {
  if (dev === true) return "low";
  return /\bA?GPL/.test(license) ? "high" : "medium";
}
