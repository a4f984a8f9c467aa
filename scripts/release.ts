// Makes a release of a clean checkout: `npm run release -- minor` writes version and changelog, packs, commits and tags.
// Publishing is a person's next step, with the packed file.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const KINDS = ["major", "minor", "patch"];
const UNRELEASED = "## [Unreleased]\n";

const [kind = ""] = process.argv.slice(2);
if (!KINDS.includes(kind)) stop(`say which release: npm run release -- ${KINDS.join("|")}`);
if (git("status", "--porcelain") !== "")
  stop("the checkout has changes: commit or remove them first");
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
if (!/^[-*] /m.test(unreleasedPart())) stop("CHANGELOG.md says nothing under [Unreleased]");

const version = raise(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
if (git("tag", "--list", `v${version}`) !== "") stop(`the tag v${version} is there already`);
try {
  // It writes package.json and the lockfile; the tag is ours, after the changelog.
  run("npm", "version", version, "--no-git-tag-version", "--ignore-scripts");
  const date = new Date().toISOString().slice(0, 10);
  const heading = `${UNRELEASED}\n## [${version}] - ${date}\n`;
  writeFileSync(
    join(root, "CHANGELOG.md"),
    changelog.replace(UNRELEASED, () => heading),
  );
  const file = run("npm", "run", "--silent", "pack", "--", root);
  git("commit", "--quiet", "--all", "--message", `Release ${version}`);
  git("tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
  process.stdout.write(`v${version} is committed and tagged; the package is ${file}\n`);
  process.stdout.write(`look at it, then: git push --follow-tags && npm publish ${file}\n`);
} catch (error) {
  git("checkout", "--quiet", "--", "package.json", "package-lock.json", "CHANGELOG.md");
  throw error;
}

function raise(current: string): string {
  const [major = 0, minor = 0, patch = 0] = current.split(".").map(Number);
  if (kind === "major") return `${major + 1}.0.0`;
  return kind === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function unreleasedPart(): string {
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) stop("CHANGELOG.md has no heading [Unreleased]");
  const rest = changelog.slice(start + UNRELEASED.length);
  const end = rest.indexOf("\n## ");
  return end < 0 ? rest : rest.slice(0, end);
}

function git(...args: readonly string[]): string {
  return run("git", ...args);
}

function run(program: string, ...args: readonly string[]): string {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: [...stdio] }).trim();
}

function stop(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
