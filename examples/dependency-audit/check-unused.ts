import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";
import type { Finding } from "./finding.ts";
import { readManifest } from "./project-files.ts";

const SOURCES = "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}";
const NOT_SOURCES = ["**/node_modules/**", "**/dist/**", "**/.*/**"];

/** Finds dependencies that no source file imports. What only a command line uses belongs to devDependencies. */
export function checkUnused({ prompt, cwd }: AgentFunctionInput): readonly Finding[] {
  const project = resolve(cwd, prompt);
  const unseen = new Set(Object.keys(readManifest(project).dependencies ?? {}));
  for (const file of globSync(SOURCES, { cwd: project, exclude: NOT_SOURCES })) {
    if (unseen.size === 0) break;
    const source = readFileSync(join(project, file), "utf8");
    for (const name of unseen) if (imports(source, name)) unseen.delete(name);
  }
  return [...unseen].map((name) => ({
    severity: "medium",
    name,
    problem: "is imported by no source file",
  }));
}

/** The name in quotes, alone or before a subpath. */
function imports(source: string, name: string): boolean {
  return [`"${name}"`, `'${name}'`, `"${name}/`, `'${name}/`].some((text) => source.includes(text));
}
