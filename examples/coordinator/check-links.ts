import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";

interface Link {
  readonly page: string;
  readonly target: string;
}

/** Answers `check FOLDER` with the links between its Markdown pages that lead nowhere, and notes them down. */
export async function checkLinks(input: AgentFunctionInput): Promise<string> {
  const folder = /\bcheck (\S+?)[.,]?(?:\s|$)/.exec(input.prompt)?.[1];
  if (folder === undefined) return "@coordinator say: check FOLDER";
  if (relative(input.cwd, resolve(input.cwd, folder)).startsWith(".."))
    return `@coordinator ${folder} is outside of this project`;
  const findings = report(folder, linksIn(resolve(input.cwd, folder)));
  await input.editDocument({ kind: "append", text: `## Check\n\n${findings}\n\n` });
  return `@coordinator ${findings}`;
}

function report(folder: string, links: readonly (Link & { readonly isFound: boolean })[]): string {
  if (links.length === 0) return `there are no links in ${folder}`;
  const broken = links.filter(({ isFound }) => !isFound);
  if (broken.length === 0)
    return `${links.length} of ${links.length} links in ${folder} lead somewhere`;
  const lines = broken.map(({ page, target }) => `- ${page}: ${target}`);
  const title = `${broken.length} of ${links.length} links in ${folder} lead nowhere:`;
  return [title, "", ...lines].join("\n");
}

/** Links to other sites are not looked at. */
function linksIn(directory: string): readonly (Link & { readonly isFound: boolean })[] {
  return globSync("**/*.md", { cwd: directory })
    .toSorted()
    .flatMap((page) => {
      const text = readFileSync(join(directory, page), "utf8");
      return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, target = ""]) => {
        return { page, target, isFound: existsSync(join(directory, dirname(page), target)) };
      });
    });
}
