import { resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";
import type { Finding } from "./finding.ts";
import { installedPackages } from "./project-files.ts";

/** Finds packages that run a program of their own on every machine that installs them. */
export function checkInstallScripts({ prompt, cwd }: AgentFunctionInput): readonly Finding[] {
  return installedPackages(resolve(cwd, prompt))
    .filter(({ hasInstallScript }) => hasInstallScript === true)
    .map(({ name, dev }) => ({
      severity: dev === true ? "low" : "medium",
      name,
      problem: "runs a script when it is installed",
    }));
}
