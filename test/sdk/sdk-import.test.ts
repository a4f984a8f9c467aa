import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as troupe from "../../src/index.ts";
import { staticImports } from "../cli/static-imports.ts";

const root = join(import.meta.dirname, "../..");
const index = join(root, "src/index.ts");

test("importing the library loads no package and no engine; the first run does", () => {
  const loaded = [...staticImports(index)];
  expect(loaded.filter((name) => !name.startsWith("/") && !name.startsWith("node:"))).toEqual([]);
  expect(loaded.filter((name) => /src\/(engine|journal|agents|mcp)\//.test(name))).toEqual([]);
});

test("the functions of the sources have their names, and what loads, runs, builds and defines is beside them [SDK-1.names, SDK-5.functions]", () => {
  const ofRelay = ["fanOut", "pipeline", "hubAndSpoke", "consensus", "mesh", "handoff", "cascade"];
  const ofOthers = ["AgentExecutor", "iterate", "collab", "team"];
  const own = ["loadWorkflow", "runWorkflow", "workflow"];
  const defining = ["defineBackend", "defineStepType", "definePattern"];
  const names = [...ofRelay, "dag", "debate", "hierarchical", ...ofOthers, ...own, ...defining];
  const exported = new Map<string, unknown>(Object.entries(troupe));
  expect(names.filter((name) => typeof exported.get(name) !== "function")).toEqual([]);
});

test.each([
  ["src/index.ts", "etc/api.md"],
  ["src/testing/index.ts", "etc/api-testing.md"],
])("every export of %s has an entry in %s [SDK-4.report]", (entry, report) => {
  const text = readFileSync(join(root, report), "utf8");
  const names = exportedBy(readFileSync(join(root, entry), "utf8"));
  expect(names.length).toBeGreaterThan(20);
  const kinds = "abstract class|class|const|enum|function|interface|type";
  const missing = names.filter(
    (name) => !new RegExp(`^export (${kinds}) ${name}\\b`, "m").test(text),
  );
  expect(missing).toEqual([]);
});

/** The names under which a module of `export { … } from` exports. */
function exportedBy(source: string): readonly string[] {
  return [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((each) => /(\w+)\s*$/.exec(each)?.[1])
      .filter((name) => name !== undefined),
  );
}
