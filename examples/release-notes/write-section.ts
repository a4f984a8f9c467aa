import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";

/** Puts a section on top of a changelog. Lines of the prompt: file, version, then the notes. */
export function writeSection({ prompt, cwd }: AgentFunctionInput): string {
  const [path = "", version = "", ...lines] = prompt.split("\n");
  const file = resolve(cwd, path);
  const section = `## ${version}\n\n${lines.join("\n").trim()}\n`;
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  // A run that was killed after writing writes again when it is resumed: the same section is no second one.
  if (before.includes(section)) return `${version} is in ${path}`;
  if (before.split("\n").includes(`## ${version}`))
    throw new Error(`${path} already has other notes for ${version}`);
  mkdirSync(dirname(file), { recursive: true });
  // Written aside and renamed, so that the changelog is never half there.
  writeFileSync(`${file}.new`, withSection(before, section));
  renameSync(`${file}.new`, file);
  return `${version} is in ${path}`;
}

function withSection(before: string, section: string): string {
  const title = /^# .*\n+/.exec(before)?.[0] ?? "# Changelog\n\n";
  const rest = before.startsWith(title) ? before.slice(title.length) : before;
  return `${title}${section}${rest === "" ? "" : `\n${rest}`}`;
}
