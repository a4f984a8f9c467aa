import type { GitMark, Host } from "../../../contracts/host.ts";

/** Test files and configuration of CI, by what they are called in most projects. */
const TEST_PATTERNS: readonly string[] = [
  ...["test", "tests", "__tests__", "spec", "specs", "e2e", "testdata"].map(
    (name) => `**/${name}/**`,
  ),
  ...["*.test.*", "*.spec.*", "*.snap", "*_test.*", "*_spec.*", "test_*.py"].map(anywhere),
  ...["conftest.py", "*Test.java", "*Tests.java", "*Test.kt", "*Tests.cs", "*Test.php"].map(
    anywhere,
  ),
  ...["*Tests.swift", "vitest.config.*", "jest.config.*", "playwright.config.*"].map(anywhere),
  ...["karma.conf.*", "cypress.config.*", "pytest.ini", "tox.ini", "noxfile.py"].map(anywhere),
  ...[".github/workflows/**", ".github/actions/**", ".forgejo/workflows/**", ".gitea/workflows/**"],
  ...[".gitlab-ci.yml", ".gitlab/ci/**", ".circleci/**", ".travis.yml", ".drone.yml"],
  ...[".buildkite/**", ".woodpecker/**", ".woodpecker.yml", ".ci/**", "azure-pipelines.yml"],
  ...["Jenkinsfile", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml"],
];

const INSTALLED = /(?:^|\/)(?:node_modules|\.venv|venv|vendor|site-packages)\//;
/** Most files that are remembered: the mark stands in the journal. */
const MOST_MARKED = 2000;

/** The test files of a directory as they were before a step; `unknown` where there are too many to remember. */
export type TestMark =
  | ({ readonly kind: "git" } & GitMark)
  | { readonly kind: "files"; readonly prints: { readonly [path: string]: string } }
  | { readonly kind: "unknown" };

/** Remembers the test files of a directory: those of its repository, or without one those below it. */
export async function markTests(host: Host, cwd: string): Promise<TestMark> {
  const mark = await host.git.mark(cwd, TEST_PATTERNS);
  if (mark !== undefined) {
    const isBounded = Object.keys(mark.differing).length <= MOST_MARKED;
    return isBounded ? { kind: "git", ...mark } : { kind: "unknown" };
  }
  const workspace = host.workspace(cwd);
  const found = await workspace.list(TEST_PATTERNS, MOST_MARKED * 50);
  const own = found?.filter((path) => !INSTALLED.test(path)) ?? [];
  if (found === undefined || own.length > MOST_MARKED) return { kind: "unknown" };
  const prints: { [path: string]: string } = {};
  for (const path of own) prints[path] = await workspace.print(path);
  return { kind: "files", prints };
}

/** The test files that were there at a mark and have changed or gone since, sorted. */
export async function changedTests(
  host: Host,
  cwd: string,
  mark: TestMark,
): Promise<readonly string[]> {
  switch (mark.kind) {
    case "unknown":
      return [];
    case "git": {
      const { commit, differing } = mark;
      try {
        const found = await host.git.changedSince(cwd, { commit, differing }, TEST_PATTERNS);
        return found ?? [".git"];
      } catch {
        // The commit is gone, and with it what could be compared.
        return [".git"];
      }
    }
    case "files": {
      const workspace = host.workspace(cwd);
      const changed: string[] = [];
      for (const [path, before] of Object.entries(mark.prints)) {
        const now = await workspace.print(path).catch(() => "unreadable");
        if (now !== before) changed.push(path);
      }
      return changed.sort();
    }
  }
}

function anywhere(name: string): string {
  return `**/${name}`;
}
