import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type PlacedProject, runPlaced } from "./placed-run.ts";

interface Bounds {
  readonly [key: string]: unknown;
}

function runOne(project: PlacedProject, constraints: Bounds, run: string) {
  const script = [{ do: [{ run }], say: "DONE: ok" }];
  return runPlaced(project, {
    pattern: "dag",
    agents: [{ id: "one", backend: "script", constraints, script }],
    steps: [{ id: "s", agent: "one", prompt: "work" }],
  });
}

test("a turn that changes what it may not fails its step, and every file is listed [AGT-12]", async () => {
  const project = createProject();
  project.write("package.json", "{}\n");
  project.write("src/a.test.ts", "test\n");
  project.commit();
  const constraints = {
    fileScope: { include: ["src/**"], exclude: ["**/*.test.ts"] },
    readOnly: ["package.json"],
  };
  const end = await runOne(
    project,
    constraints,
    "echo b > src/a.txt; echo x >> package.json; rm src/a.test.ts; echo new > other.txt",
  );
  expect(end.outcome).toBe("failed");
  expect(end.all("step-failed").map(({ error }) => [error.code, error.message])).toEqual([
    [
      "AGENT_CONSTRAINT_BREACHED",
      'agent "one" changed what its constraints protect: other.txt (not in fileScope.include), package.json (in readOnly), src/a.test.ts (in fileScope.exclude)',
    ],
  ]);
  expect(end.all("place-breached")).toMatchObject([{ agent: "one", turn: 1, failed: true }]);
  // What was done is there: people look at it.
  expect(readFileSync(join(project.root, "src/a.txt"), "utf8")).toBe("b\n");
});

test.each([
  [
    "a commit",
    "echo x >> src/a.txt && git add -A && git -c user.name=a -c user.email=a@b commit -qm x",
  ],
  ["a flag of the index", "git update-index --assume-unchanged src/a.txt; echo x >> src/a.txt"],
  ["a new ignore rule", "echo 'secret.txt' >> .git/info/exclude; echo x > secret.txt"],
  ["a link in its place", "rm src/a.txt; ln -s /etc/passwd src/a.txt"],
  ["another name", "git mv src/a.txt src/b.txt"],
  ["another mode", "chmod +x src/a.txt"],
])("a change is found behind %s [AGT-12, T8]", async (_, command) => {
  const end = await runOne(createProject(), { fileScope: { include: ["docs/**"] } }, command);
  expect(end.all("step-failed").map(({ error }) => error.code)).toEqual([
    "AGENT_CONSTRAINT_BREACHED",
  ]);
});

test("files that git ignores are read-only too, and what others had changed before is nobody's breach [AGT-12]", async () => {
  const project = createProject();
  project.write("ignored/.env", "secret\n");
  project.write("src/a.txt", "changed by the user\n");
  const constraints = { readOnly: ["**/.env", "src/**"] };
  expect((await runOne(project, constraints, "echo fine > new.txt")).outcome).toBe("completed");
  const end = await runOne(project, constraints, "echo x > ignored/.env");
  expect(end.all("place-breached").map(({ breaches }) => breaches)).toEqual([
    [{ rule: "readOnly", path: "ignored/.env" }],
  ]);
});

test("outside git the files themselves are compared, links included [AGT-12, T8]", async () => {
  const project = createProject(false);
  symlinkSync("/etc", join(project.root, "etc"));
  const constraints = { fileScope: { include: ["src/**"] } };
  expect((await runOne(project, constraints, "echo b > src/a.txt")).outcome).toBe("completed");
  const end = await runOne(project, constraints, "ln -s / src/root; echo x > other.txt");
  expect(end.all("place-breached").map(({ breaches }) => breaches)).toEqual([
    expect.arrayContaining([
      { rule: "link", path: "src/root" },
      { rule: "include", path: "other.txt" },
    ]),
  ]);
});

test("constraints hold in a worktree as well, where nobody else works [AGT-12, AGT-13]", async () => {
  const script = [{ do: [{ run: "echo b > src/a.txt" }], say: "DONE: ok" }];
  const place = { isolation: "worktree", constraints: { readOnly: ["src/**"] } };
  const end = await runPlaced(createProject(), {
    pattern: "dag",
    agents: [{ id: "one", backend: "script", ...place, script }],
    steps: [{ id: "s", agent: "one", prompt: "work" }],
  });
  expect(end.all("step-failed").map(({ error }) => error.code)).toEqual([
    "AGENT_CONSTRAINT_BREACHED",
  ]);
});

test("ignored files, what git obeys, and what links lead to are not beyond fileScope [AGT-12, T8]", async () => {
  const project = createProject();
  project.write("ignored/.env", "secret\n");
  project.write("../outside.txt", "1\n");
  symlinkSync("../../outside.txt", join(project.root, "src/out"));
  project.commit();
  const constraints = { fileScope: { include: ["src/**"] } };
  const script = [
    "echo x > ignored/.env; echo x > src/out; echo x >> src/a.txt; git config a.b c",
    "mkdir -p .git/hooks; echo x > .git/hooks/post-commit",
  ].join("; ");
  const end = await runOne(project, constraints, script);
  const [breached] = end.all("place-breached");
  expect(breached?.breaches).toEqual([
    { rule: "include", path: ".git/config" },
    { rule: "include", path: ".git/hooks/post-commit" },
    { rule: "include", path: "ignored/.env" },
    { rule: "link", path: "src/out" },
  ]);
});
