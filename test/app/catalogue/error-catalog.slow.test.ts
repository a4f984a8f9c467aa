import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { errorCatalog } from "../../../src/app/catalogue/error-catalog.ts";
import { errorPage } from "../../../src/cli/actions/explain.ts";
import * as cliErrors from "../../../src/cli/command/errors.ts";
import { strideOf } from "../../cases.ts";
import { call } from "../../cli/fake-io.ts";

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

test("every error code has a page, and explain prints it [CLI-1]", async () => {
  const pages = readFileSync("docs/reference/errors.md", "utf8");
  const codes = [...errorCatalog(cliErrors).keys()];
  for (const code of codes) expect([code, pageOf(code).length > 40]).toEqual([code, true]);
  const sections = [...pages.matchAll(/^## (.*)$/gm)].map(([, code]) => code);
  expect(sections).toEqual(codes);
  for (const code of codes.filter((_, index) => index % strideOf(20) === 0)) {
    const { exitCode, out } = await call(tmpdir(), ["explain", code.toLowerCase()]);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${code}\n\n${pageOf(code)}\n` });
  }
});

function pageOf(code: string): string {
  return errorPage(code) ?? "";
}
