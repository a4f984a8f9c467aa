import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCatalog } from "../../src/app/error-catalog.ts";
import * as cliErrors from "../../src/cli/errors.ts";

test("every error code that is declared anywhere can be explained [CLI-1]", () => {
  const declared = globSync("src/**/*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/defineError\(\s*"([A-Z_]+)"/g)].map(
      ([, code]) => code,
    ),
  );
  const known = errorCatalog(cliErrors);
  expect(declared.filter((code) => code === undefined || !known.has(code))).toEqual([]);
  expect(declared.length).toBeGreaterThan(100);
});

test("no two errors share a code", () => {
  const declared = globSync("src/**/*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/= defineError\(\s*"([A-Z_]+)"/g)].map(
      ([, code]) => code,
    ),
  );
  expect(declared.filter((code, index) => declared.indexOf(code) !== index)).toEqual([]);
});
