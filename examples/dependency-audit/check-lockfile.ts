import { resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";
import type { Finding } from "./finding.ts";
import { installedPackages, readLock, readManifest } from "./project-files.ts";

/** Finds where package-lock.json is not what package.json asks for, and packages that nothing vouches for. */
export function checkLockfile({ prompt, cwd }: AgentFunctionInput): readonly Finding[] {
  const project = resolve(cwd, prompt);
  return [...staleEntries(project), ...unverified(project)];
}

function staleEntries(project: string): readonly Finding[] {
  const manifest = readManifest(project);
  const locked = readLock(project)[""] ?? {};
  return (["dependencies", "devDependencies"] as const).flatMap((kind) => {
    const [asked, found] = [manifest[kind] ?? {}, locked[kind] ?? {}];
    const names = [...new Set([...Object.keys(asked), ...Object.keys(found)])];
    return names
      .filter((name) => asked[name] !== found[name])
      .map((name): Finding => {
        const problem = `package.json asks for ${asked[name] ?? "none"}, the lockfile for ${found[name] ?? "none"}`;
        return { severity: "high", name, problem };
      });
  });
}

function unverified(project: string): readonly Finding[] {
  return installedPackages(project).flatMap((entry): readonly Finding[] => {
    const { name, resolved, integrity, inBundle } = entry;
    if (inBundle === true) return [];
    if (resolved?.startsWith("http:"))
      return [{ severity: "high", name, problem: `is fetched without encryption: ${resolved}` }];
    if (integrity !== undefined) return [];
    return [{ severity: "medium", name, problem: "has no checksum in the lockfile" }];
  });
}
