import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

test("an install runs no script, and takes only what the lockfile names, by its hash [T17]", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m);
  expect(read(".ci/run")).toContain("stage 'install' npm ci");
  const lock: { readonly packages: { readonly [path: string]: Record<string, unknown> } } =
    JSON.parse(read("package-lock.json"));
  const installed = Object.entries(lock.packages).filter(
    ([path, { link, dev, optional }]) =>
      path.startsWith("node_modules/") &&
      link !== true &&
      // Tools of developers for other systems, which the registry here does not have: their hashes are not known.
      !(dev === true && optional === true),
  );
  expect(installed.length).toBeGreaterThan(100);
  for (const [path, { integrity, resolved = "" }] of installed) {
    expect(integrity, path).toMatch(/^sha512-/);
    expect(String(resolved), path).toMatch(/^(https:\/\/registry\.npmjs\.org\/|$)/);
  }
});

test("the library has few dependencies, each of one version [T17]", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(15);
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
