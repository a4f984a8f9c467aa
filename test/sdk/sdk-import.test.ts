import { join } from "node:path";
import { expect, test } from "vitest";
import { staticImports } from "../cli/static-imports.ts";

const index = join(import.meta.dirname, "../../src/index.ts");

test("importing the library loads no package and no engine; the first run does", () => {
  const loaded = [...staticImports(index)];
  expect(loaded.filter((name) => !name.startsWith("/") && !name.startsWith("node:"))).toEqual([]);
  expect(loaded.filter((name) => /src\/(engine|journal|agents|mcp)\//.test(name))).toEqual([]);
});
