// Writes the diagram of the folders of src into docs/architecture.md. With --check it only compares.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/architecture.md");
const begin = "<!-- diagram: begin (npm run diagram) -->";
const end = "<!-- diagram: end -->";
// Every folder may use these; drawn, their arrows would hide the others.
const foundations = new Set(["foundation", "contracts"]);
const cruiseResult = z.object({
  modules: z.array(
    z.object({ source: z.string(), dependencies: z.array(z.object({ resolved: z.string() })) }),
  ),
});

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const before = readFileSync(page, "utf8");
const after = replaceDiagram(before, toMermaid(withoutDetours(readFolders())));
if (!values.check) writeFileSync(page, after);
else if (before !== after) {
  process.stderr.write("the diagram of docs/architecture.md is out of date: npm run diagram\n");
  process.exitCode = 1;
}

function readFolders(): Graph {
  const options = ["src", "--output-type", "json", "--no-config", "--ts-pre-compilation-deps"];
  const output = execFileSync("depcruise", options, { cwd: root, maxBuffer: 2 ** 28 });
  const graph = new Map<string, Set<string>>();
  for (const { source, dependencies } of cruiseResult.parse(JSON.parse(output.toString()))
    .modules) {
    const from = toFolder(source);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const to of dependencies.map(({ resolved }) => toFolder(resolved))) {
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  return graph;
}

/** `src/agents/turn.ts` is `agents`, `src/main.ts` is `main`; foundations and packages are not drawn. */
function toFolder(path: string): string | undefined {
  const name = /^src\/([^/.]+)/.exec(path)?.[1];
  return name === undefined || foundations.has(name) ? undefined : name;
}

/** Leaves out an arrow when a longer way leads to the same folder. */
function withoutDetours(graph: Graph): Graph {
  const direct = (from: string): ReadonlySet<string> => graph.get(from) ?? new Set();
  const reaches = (from: string, to: string): boolean =>
    [...direct(from)].some((next) => next === to || reaches(next, to));
  return new Map(
    [...graph].map(([from, targets]) => [
      from,
      new Set([...targets].filter((to) => ![...targets].some((next) => reaches(next, to)))),
    ]),
  );
}

function toMermaid(graph: Graph): string {
  const lines = [...graph.keys()].toSorted().flatMap((from) => {
    const targets = [...(graph.get(from) ?? [])].toSorted();
    return targets.length === 0 ? [`  ${from}`] : targets.map((to) => `  ${from} --> ${to}`);
  });
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}

function replaceDiagram(text: string, diagram: string): string {
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`no diagram markers in ${page}`);
  return `${head}${begin}\n${diagram}\n${end}${tail}`;
}
