import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** A clone of this checkout as it is committed, which uses its packages. */
function createClone() {
  const folder = mkdtempSync(join(tmpdir(), "troupe-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cwd = join(folder, "clone");
  const own = {
    ...{ GIT_AUTHOR_NAME: "ann", GIT_AUTHOR_EMAIL: "ann@example.org" },
    ...{ GIT_COMMITTER_NAME: "ann", GIT_COMMITTER_EMAIL: "ann@example.org" },
  };
  const env = { ...process.env, ...own, npm_config_ignore_scripts: "true" };
  const run = (program: string, ...args: readonly string[]) => {
    const directory = existsSync(cwd) ? cwd : folder;
    return spawnSync(program, args, { cwd: directory, env, encoding: "utf8" });
  };
  expect(run("git", "clone", "--quiet", root, cwd).status).toBe(0);
  symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
  writeFileSync(join(cwd, ".git/info/exclude"), "node_modules\n*.tgz\n");
  const read = (path: string) => readFileSync(join(cwd, path), "utf8");
  const git = (...args: readonly string[]) => run("git", ...args).stdout.trim();
  const release = (...args: readonly string[]) => run("npm", "run", "-s", "release", "--", ...args);
  return { cwd, read, git, release };
}

test("one command makes a release: changelog, version, tag and a packed file with its build [ECO-5.release]", {
  timeout: 1_200_000,
}, () => {
  const { cwd, read, git, release } = createClone();
  const before = JSON.parse(read("package.json")).version.split(".").map(Number);
  const version = `${before[0]}.${before[1] + 1}.0`;
  const { status, stdout, stderr } = release("minor");
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(JSON.parse(read("package.json")).version).toBe(version);
  expect(JSON.parse(read("package-lock.json")).version).toBe(version);
  expect(read("CHANGELOG.md")).toMatch(
    new RegExp(`## \\[Unreleased\\]\\n\\n## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d\\n\\n#`),
  );
  expect(git("tag", "--points-at", "HEAD")).toBe(`v${version}`);
  expect(git("log", "-1", "--format=%s")).toBe(`Release ${version}`);
  expect(git("status", "--porcelain")).toBe("");
  const file = join(cwd, `troupe-${version}.tgz`);
  expect(stdout).toContain(`the package is ${file}`);
  const listed = spawnSync("tar", ["tzf", file], { encoding: "utf8" }).stdout;
  for (const path of ["dist/index.js", "dist/command/main.cjs", "bin/troupe.js", "docs/README.md"])
    expect(listed.split("\n")).toContain(`package/${path}`);
  // Twice is once too often: nothing is unreleased.
  const again = release("minor");
  expect(again.status).toBe(2);
  expect(again.stderr).toContain("says nothing under [Unreleased]");
});

test("what is not committed, or no release, is refused and changes nothing [ECO-5.release]", () => {
  const { cwd, git, release } = createClone();
  expect(release("huge")).toMatchObject({ status: 2 });
  writeFileSync(join(cwd, "README.md"), "changed\n");
  const { status, stderr } = release("patch");
  expect({ status, stderr }).toMatchObject({ status: 2 });
  expect(stderr).toContain("commit or remove");
  expect(git("status", "--porcelain")).toBe("M README.md");
  expect(git("tag", "--points-at", "HEAD")).toBe("");
});
