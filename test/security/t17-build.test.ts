import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

test("an install runs no script, and takes only what the lockfile names, by its hash", () => {
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
  for (const [path, { integrity, inBundle, resolved = "" }] of installed) {
    if (inBundle === true) {
      // It lies in the file of the package around it, whose hash holds for it too.
      const around = path.slice(0, path.lastIndexOf("/node_modules/"));
      const name = path.slice(around.length + "/node_modules/".length);
      expect(lock.packages[around]?.["bundleDependencies"], path).toContain(name);
      expect(lock.packages[around]?.["integrity"], path).toMatch(/^sha512-/);
      continue;
    }
    expect(integrity, path).toMatch(/^sha512-/);
    expect(String(resolved), path).toMatch(/^(https:\/\/registry\.npmjs\.org\/|$)/);
  }
});

test("the library has few dependencies, each of one version [T17]", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(20);
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("with the settings of this repository the real npm runs no script of a package, and takes nothing that the lockfile does not name or that has another hash [T17]", () => {
  const project = mkdtempSync(join(tmpdir(), "troupe-build-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const npm = (cwd: string, ...args: readonly string[]) => {
    // Whatever runs this test must not decide: the settings of the repository are what is tried.
    const env = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    return spawnSync("npm", [...args, "--offline", "--cache", join(project, "cache")], {
      cwd,
      env: Object.fromEntries(env),
      encoding: "utf8",
    });
  };
  const mark = join(project, "ran");
  const pack = (text: string) => {
    const sources = join(project, "evil");
    mkdirSync(sources, { recursive: true });
    const scripts = Object.fromEntries(
      ["preinstall", "install", "postinstall", "prepare"].map((name) => [name, `echo > ${mark}`]),
    );
    write(sources, "package.json", { name: "evil", version: "1.0.0", scripts, text });
    expect(npm(sources, "pack", "--ignore-scripts", "--pack-destination", project).status).toBe(0);
  };
  const root = { name: "victim", version: "1.0.0", dependencies: { evil: "file:evil-1.0.0.tgz" } };
  pack("first");
  writeFileSync(join(project, ".npmrc"), read(".npmrc"));
  write(project, "package.json", root);
  expect(npm(project, "install", "--package-lock-only").status).toBe(0);
  expect(npm(project, "ci")).toMatchObject({ status: 0 });
  expect(existsSync(join(project, "node_modules/evil/package.json"))).toBe(true);
  expect(existsSync(mark)).toBe(false);
  // The test can fail: this is what the setting keeps from running.
  expect(npm(project, "rebuild", "--ignore-scripts=false").status).toBe(0);
  expect(existsSync(mark)).toBe(true);
  pack("second");
  // What it has by the right hash it would take from there.
  rmSync(join(project, "cache"), { recursive: true });
  expect(npm(project, "ci")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("EINTEGRITY"),
  });
  pack("first");
  const dependencies = { ...root.dependencies, more: "file:evil-1.0.0.tgz" };
  write(project, "package.json", { ...root, dependencies });
  expect(npm(project, "ci")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("in sync"),
  });
});

function write(directory: string, name: string, content: object): void {
  writeFileSync(join(directory, name), JSON.stringify(content));
}
