import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadWorkflow, runWorkflow } from "../../src/index.ts";
import { createUser } from "./daemon-user.ts";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

const root = join(import.meta.dirname, "../..");
const LANGUAGES = { LANG: "C.UTF-8" };

/** A project with a copy of the examples, where the commands of their pages work as written. */
function projectWithExamples(): string {
  const cwd = createProject();
  cpSync(join(root, "examples"), join(cwd, "examples"), { recursive: true });
  return cwd;
}

function example(name: string): string {
  return `examples/${name}/${name}.yaml`;
}

function git(cwd: string, ...args: readonly string[]): void {
  const author = ["-c", "user.name=Example", "-c", "user.email=example@localhost"];
  execFileSync("git", [...author, ...args], { cwd, stdio: "ignore" });
}

function createHistory(cwd: string): void {
  git(cwd, "init", "-q");
  const commit = (subject: string) => git(cwd, "commit", "-q", "--allow-empty", "-m", subject);
  commit("feat: what is released already");
  git(cwd, "tag", "v1.0.0");
  for (const subject of ["feat(cart): keep the cart", "Fix empty totals", "refactor!: drop v0"])
    commit(subject);
}

/** Ids of the open questions, in the order in which they were asked. */
async function questions(cwd: string): Promise<readonly string[]> {
  const { out } = await troupe(cwd, ["inbox", "--json"]);
  return [...out.matchAll(/"id":"(qst_\w+)"/g)].map(([, id = ""]) => id);
}

function query(file: string, sql: string): readonly unknown[] {
  using database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  return database.prepare(sql).all();
}

/** Rows that are booked so far; the importer may not have come to make its tables yet. */
function countBooked(file: string): number {
  if (!existsSync(file)) return 0;
  const tables = query(file, "SELECT name FROM sqlite_master WHERE name = 'booked'");
  return tables.length === 0 ? 0 : query(file, "SELECT line FROM booked").length;
}

test("every example is valid and can be planned, and planning starts nothing [WF-1, CLI-1]", async () => {
  const cwd = projectWithExamples();
  const names = ["release-notes", "flaky-tests", "dependency-audit", "data-import", "matrix"];
  const played = [
    ...["review-team", "coordinator", "review-branch", "feature-pipeline"],
    ...["feature-development", "research-lead", "mesh", "handoff", "hub-spoke", "hierarchical"],
    ...[
      "auction",
      "gossip",
      "pool",
      "stigmergy",
      "escalation",
      "mixture-of-agents",
      "red-team",
      "reflection",
      "reflecting",
      "review-loop",
      "scatter-gather",
      "verifier",
      "map-reduce",
      "supervisor",
      "competitive",
      "blackboard",
      "circuit-breaker",
      "saga",
      "pruner",
      "consensus",
      "cascade",
      "debate",
      "iterate",
      "collab",
      "team",
      "repair",
    ],
  ];
  const files = [...names, ...played]
    .map(example)
    .concat(globSync("examples/*.yaml", { cwd: root }))
    .concat("examples/feature-development/feature-development.json");
  const validated = await troupe(cwd, ["validate", ...files]);
  expect({ exitCode: validated.exitCode, err: validated.err }).toEqual({ exitCode: 0, err: "" });
  const plans = files.map(async (file) => {
    const cassette = ["--cassette", join(dirname(file), "answers.yaml")];
    const isPlayed = played.some((name) => dirname(file) === `examples/${name}`);
    const isGivenTask =
      /\/(?:feature-|handoff|hub-spoke|hierarchical|auction|gossip|pool|stigmergy|escalation|mixture-of-agents|red-team|reflect|review-loop|scatter-gather|verifier|map-reduce|supervisor|competitive|blackboard|circuit-breaker|pruner|consensus|cascade|iterate|collab|team)/.test(
        file,
      );
    const task = isGivenTask ? ["A discount code"] : [];
    return (await troupe(cwd, ["plan", file, ...task, ...(isPlayed ? cassette : [])])).exitCode;
  });
  expect(await Promise.all(plans)).toEqual(files.map(() => 0));
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

test("mesh agrees on a cause after three rounds; handoff goes from the desk to billing to tech [PAT-mesh, PAT-handoff]", async () => {
  const cwd = projectWithExamples();
  const play = async (name: string, ...task: readonly string[]) => {
    const cassette = ["--cassette", `examples/${name}/answers.yaml`];
    return troupe(cwd, ["run", example(name), ...task, ...cassette, "-q"]);
  };
  const met = await play("mesh");
  expect(met).toMatchObject({ exitCode: 0, err: "" });
  expect([...met.out.matchAll(/^## (\w+)/gm)].map(([, id]) => id)).toEqual([
    "logs",
    "code",
    "tests",
  ]);
  expect(await play("handoff", "My invoice is wrong")).toMatchObject({
    exitCode: 0,
    out: "the page rounds to ten cents; the invoice itself is right\n",
  });
});

test("consensus asks two reviewers and a program, cascade the strong model only when it must, debate a judge [PAT-consensus, PAT-cascade, PAT-debate]", async () => {
  const cwd = projectWithExamples();
  const play = async (name: string, ...task: readonly string[]) => {
    const cassette = ["--cassette", `examples/${name}/answers.yaml`];
    return troupe(cwd, ["run", example(name), ...task, ...cassette, "-q"]);
  };
  expect(await play("consensus", "Cache prices for a minute")).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^approved \(3 to 0, supermajority\)\n- safety: approve/),
  });
  expect(await play("cascade", "Is 0.1 + 0.2 == 0.3?")).toMatchObject({
    exitCode: 0,
    out: "no, binary floating point makes it 0.30000000000000004\n",
  });
  expect(await play("debate")).toMatchObject({
    exitCode: 0,
    out: "one repository\n\nBuilds by path answer the only strong argument against it.\n",
  });
});

test("auction gives the task to the cheapest of two bidders, at the second cost [PRM-auction.vickrey]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/auction/answers.yaml"];
  const ran = await troupe(cwd, ["run", example("auction"), "Speed it up", ...cassette, "-q"]);
  expect(ran).toMatchObject({
    exitCode: 0,
    out: "titles are indexed by their beginnings, a search takes 12 ms\n",
  });
});

test("gossip ends when three know the same after one round [PRM-gossip.pattern]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/gossip/answers.yaml"];
  const ran = await troupe(cwd, ["run", example("gossip"), "Why?", ...cassette, "-q"]);
  expect(ran).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^a backup locked the orders at 11:58, the shop retried/),
  });
});

test("pool makes better answers of the best, until one is good enough [PRM-pool.pattern]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/pool/answers.yaml"];
  const ran = await troupe(cwd, ["run", example("pool"), "A slogan", ...cassette, "-q"]);
  expect(ran).toMatchObject({ exitCode: 0, out: "Up before you\n" });
});

test("reflecting gives the coder another part before it begins [PRM-reflection, PRM-reflection-3, WF-10.reflection]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/reflecting/answers.yaml"];
  const ran = await troupe(cwd, ["run", example("reflecting"), "Sort them", ...cassette, "-q"]);
  expect(ran).toMatchObject({ exitCode: 0, out: "9 comes before 10\n" });
});

test("stigmergy leads two scouts to one file [PRM-stigmergy.run]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/stigmergy/answers.yaml"];
  const ran = await troupe(cwd, ["run", example("stigmergy"), "It is slow", ...cassette, "-q"]);
  expect(ran).toMatchObject({ exitCode: 0, out: expect.stringContaining("the page it is") });
});

test.each([
  ["review-loop", "fill the new column in batches, then drop the old one", "PAT-more.revision"],
  ["reflection", "The shop was down from 12:00 to 12:40. No order was lost.", "PAT-more.revision"],
  ["verifier", "the date test passes in every time zone", "PAT-more.revision"],
  ["red-team", "a coupon is 16 random letters, and works once", "PAT-more.revision"],
  [
    "scatter-gather",
    "1. ask for pictures together. 2. one query for all products.",
    "PAT-more.gather",
  ],
  ["mixture-of-agents", "limit each customer, and queue what is left", "PAT-more.gather"],
  ["escalation", "the disk was full at 11:58; old logs are gone now", "PAT-more.escalation"],
  [
    "circuit-breaker",
    ["home", "shop", "help", "jobs", "imprint"]
      .map((id) => `## ${id}\n\n${id} is translated`)
      .join("\n\n"),
    "PAT-more.breaker",
  ],
  ["map-reduce", "only that of third-party/maps forbids selling", "PAT-more.rest"],
  ["pruner", "each search reads the whole index", "PRM-pruner"],
  ["supervisor", "the disk of the database was full; old logs are gone now", "PAT-more.rest"],
  ["competitive", "Up before you", "PAT-more.rest"],
  [
    "blackboard",
    "## logs\n\nwhen it stopped\n\n## disks\n\nwhy it stopped\n\n## writer\n\nrotate the logs",
    "PAT-more.rest",
  ],
])("%s ends with: %s [%s]", async (name, output) => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", `examples/${name}/answers.yaml`];
  const ran = await troupe(cwd, ["run", example(name), "Go", ...cassette, "-q"]);
  expect(ran).toMatchObject({ exitCode: 0, out: `${output}\n` });
});

test("saga ends as failed, and what it had booked is cancelled [PAT-more.saga]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/saga/answers.yaml"];
  const ran = await troupe(cwd, ["run", example("saga"), ...cassette, "--json"]);
  expect(ran.exitCode).toBe(1);
  const events = ran.out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const outputs = events.flatMap(({ type, path, output }) =>
    type === "step-completed" ? [[path, output]] : [],
  );
  expect(outputs).toEqual([
    ["flight", "F-207"],
    ["hotel", "H-31, two nights"],
    ["hotel/compensate", "H-31 is cancelled, nothing is to be paid"],
    ["flight/compensate", "cancelled F-207"],
  ]);
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
});

test("collab spawns two agents, asks one again and makes one answer [COL-17]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/collab/answers.yaml"];
  const played = await troupe(cwd, [
    "run",
    example("collab"),
    "Why is the nightly build slow?",
    ...cassette,
    "-q",
  ]);
  expect([played.exitCode, played.out]).toEqual([
    0,
    "the images are built without a cache since March; keep the cache\n",
  ]);
});

test("iterate goes on three times from what it said before [ITR-2]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/iterate/answers.yaml"];
  const played = await troupe(cwd, ["run", example("iterate"), "Parse dates", ...cassette, "-q"]);
  expect(played).toMatchObject({
    exitCode: 0,
    out: "wrong input is an error with its place; nothing is left\n",
  });
});

test("team plans three tasks, does them by two workers and sums up [TEAM-1]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/team/answers.yaml"];
  const played = await troupe(cwd, ["run", example("team"), "Dates", ...cassette, "-q"]);
  expect(played).toMatchObject({
    exitCode: 0,
    out: "dates are parsed and documented; 3 of 3 tasks\n",
  });
  expect(readFileSync(join(cwd, ".troupe/context/team/dates/tasks.md"), "utf8")).toMatch(
    /^- \[x\] #3 write the page \(owner: \w+; after: #1, #2\)$/m,
  );
});

test("release-notes groups the commits since the tag, asks twice for a version, and writes the section [AGT-4, WF-11.checks]", async () => {
  const cwd = projectWithExamples();
  createHistory(cwd);
  const cassette = ["--cassette", "examples/release-notes/answers.yaml"];
  const { exitCode, out } = await troupe(cwd, ["run", example("release-notes"), ...cassette]);
  expect(out).toContain('the output is "next week"');
  expect(exitCode).toBe(0);
  const notes = readFileSync(join(cwd, ".troupe/release-notes.md"), "utf8");
  expect(notes.replaceAll(/\([0-9a-f]{7,}\)/g, "(HASH)")).toBe(
    "# Changelog\n\n## 1.4.0\n\n### Breaking\n\n- Drop v0 (HASH)\n\n" +
      "### Added\n\n- Keep the cart (HASH)\n\n### Fixed\n\n- Fix empty totals (HASH)\n",
  );
});

test("release-notes waits for a person across processes; `no` writes nothing, no new commit is an error [CLI-1, ENG-2]", async () => {
  const cwd = projectWithExamples();
  createHistory(cwd);
  expect((await troupe(cwd, ["run", example("release-notes")])).exitCode).toBe(3);
  const [question = ""] = await questions(cwd);
  expect((await troupe(cwd, ["answer", question, "no", "--resume"])).exitCode).toBe(0);
  expect(existsSync(join(cwd, ".troupe/release-notes.md"))).toBe(false);
  git(cwd, "tag", "v1.1.0");
  const again = await troupe(cwd, ["run", example("release-notes")]);
  expect(again.exitCode).toBe(1);
  expect(again.out).toContain("there is no commit since the last tag");
});

test("flaky-tests names the test that depends on the time zone and fails; sound tests pass, no tests are an error [CLI-1]", async () => {
  const cwd = projectWithExamples();
  const flaky = await troupe(cwd, ["run", example("flaky-tests")], LANGUAGES);
  expect(flaky.exitCode).toBe(1);
  const { out } = await troupe(cwd, ["show", "@last", "--step", "compare"]);
  expect(out).toContain("3 tests in 5 runs: 1 flaky, 0 broken");
  expect(out).toContain(
    "| an invoice is due thirty days after its date | ok | ok | ok | FAILED | ok |",
  );
  const sound = ["-i", "tests=examples/flaky-tests/sample/total.test.mjs"];
  const passing = await troupe(cwd, ["run", example("flaky-tests"), "-q", ...sound], LANGUAGES);
  expect(passing).toMatchObject({ exitCode: 0, out: "2 tests in 5 runs: 0 flaky, 0 broken\n" });
  const missing = await troupe(cwd, ["run", example("flaky-tests"), "-i", "tests=nowhere.mjs"]);
  expect(missing.exitCode).toBe(1);
  expect(missing.out).toContain('no test ran for "nowhere.mjs"');
});

test("dependency-audit fails the sample by its serious findings, and passes this repository [CLI-1]", async () => {
  const cwd = projectWithExamples();
  const sample = ["-i", "project=examples/dependency-audit/sample"];
  expect((await troupe(cwd, ["run", example("dependency-audit"), ...sample])).exitCode).toBe(1);
  const { out } = await troupe(cwd, ["show", "@last", "--step", "rank"]);
  for (const line of [
    "2 high, 3 medium, 1 low",
    "| high | fast-cart | package.json asks for ^2.1.0, the lockfile for ^2.0.0 |",
    "| high | reports-pro | is licensed AGPL-3.0-only |",
    "| medium | tiny-runner | has no checksum in the lockfile |",
    "| medium | price-table | is imported by no source file |",
    "| medium | reports-pro | runs a script when it is installed |",
    "| low | tiny-runner | is licensed MPL-2.0 |",
  ])
    expect(out).toContain(line);
  const own = await troupe(cwd, [
    "run",
    example("dependency-audit"),
    "-q",
    "-i",
    `project=${root}`,
  ]);
  expect(own.out).toMatch(/^0 high, \d+ medium, \d+ low; none of them fails the run\n$/);
  const severe = await troupe(cwd, ["run", example("dependency-audit"), "-i", "failOn=severe"]);
  expect(severe.exitCode).toBe(2);
});

test("data-import asks about both rows at once, and killed in between it books every row once [ENG-2]", async () => {
  const cwd = projectWithExamples();
  const file = join(cwd, ".troupe/stock.db");
  const booked = () => countBooked(file);
  const run = await troupe(cwd, ["run", example("data-import"), "-i", "pauseMs=400"]);
  expect(run.exitCode).toBe(3);
  const [washers = "", hoses = ""] = await questions(cwd);
  expect((await troupe(cwd, ["answer", washers, "skip"])).exitCode).toBe(0);
  expect((await troupe(cwd, ["answer", hoses, "100"])).exitCode).toBe(0);
  const doomed = startTroupe(cwd, ["resume", "@last"]);
  await doomed.seen(/import +● started/);
  while (booked() < 2) await sleep(20);
  doomed.kill("SIGKILL");
  await doomed.ended;
  expect(booked()).toBeLessThan(5);
  const { exitCode, out } = await troupe(cwd, ["resume", "@last"]);
  expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
  expect(out).toMatch(/5 rows are in \.troupe\/stock\.db, [234] of them from an attempt before/);
  expect(query(file, "SELECT sku, quantity FROM stock ORDER BY sku")).toMatchObject([
    { sku: "BOLT-10", quantity: 120 },
    { sku: "BOLT-8", quantity: 200 },
    { sku: "HOSE-2", quantity: 100 },
    { sku: "NUT-8", quantity: 200 },
    { sku: "VALVE-3", quantity: 15 },
  ]);
});

/** Runs the script that shows an example without any agent's program. */
function tryOut(cwd: string, name: string, ...args: readonly string[]): string {
  const typed = [process.execPath, join(root, "bin/troupe.js")].join(" ");
  return execFileSync("sh", [`examples/${name}/try.sh`, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", XDG_CONFIG_HOME: "/nowhere", TROUPE: typed },
  });
}

test("review-branch compares a branch with its base for two reviewers and a judge, and fails without a difference [AGT-4, CLI-1]", async () => {
  const cwd = projectWithExamples();
  const out = tryOut(cwd, "review-branch");
  expect(out).toContain(
    "2. price.mjs:3: prices are no whole cents: 10 percent off 1.10 is 0.9900000000000001 (claude, codex)",
  );
  const branch = join(cwd, ".troupe/review-branch");
  const cassette = ["--cassette", join(cwd, "examples/review-branch/answers.yaml")];
  const run = ["run", join(cwd, example("review-branch")), ...cassette];
  const same = await troupe(branch, [...run, "-i", "base=discounts"]);
  expect(same.exitCode).toBe(1);
  expect(same.out).toContain("claude   ✖ blocked by changes");
  const option = await troupe(branch, [...run, "-i", "base=--output=made.txt"]);
  expect(option.exitCode).toBe(1);
  expect(existsSync(join(branch, "made.txt"))).toBe(false);
});

test("repair lets a model try again until the test passes [AGT-4]", async () => {
  const cwd = projectWithExamples();
  const out = tryOut(cwd, "repair");
  expect(out).toMatch(/repair +↻ attempt 1 failed/);
  const project = join(cwd, ".troupe/repair");
  expect(readFileSync(join(project, "src/sum.mjs"), "utf8")).toContain("number, 0);");
});

test("feature-pipeline gives what its check finds back to the coder, and holds each agent to its files [AGT-12, AGT-4]", async () => {
  const cwd = projectWithExamples();
  const check = ["-i", "check=node --test"];
  const out = tryOut(cwd, "feature-pipeline", ...check);
  expect(out).toMatch(/implement ↻ attempt 1 failed/);
  expect(out).toContain("It may be merged.");
  const project = join(cwd, ".troupe/feature-pipeline");
  expect(readFileSync(join(project, "src/total.mjs"), "utf8")).toContain("price, 0);");
  const answers = join(cwd, "examples/feature-pipeline/answers.yaml");
  const greedy = readFileSync(answers, "utf8").replace("test/discount.test.mjs", "src/total.mjs");
  writeFileSync(answers, greedy);
  expect(() => tryOut(cwd, "feature-pipeline", ...check)).toThrow();
  const { out: steps } = await troupe(project, ["show", "@last", "--step", "test"]);
  expect(steps).toContain("AGENT_CONSTRAINT_BREACHED");
});

test("feature-development goes back to its code once, by the integration test alone, and ends with a review [STP-1, STP-6, STP-7]", async () => {
  const cwd = projectWithExamples();
  const out = tryOut(cwd, "feature-development", "--approve", "all");
  expect(out).toContain("approved: true");
  const project = join(cwd, ".troupe/feature-development");
  const { out: events } = await troupe(project, ["logs", "@last", "--json"]);
  const lines = events.trim().split("\n");
  const ended = lines.find((line) => line.includes('"type":"run-ended"')) ?? "{}";
  expect(JSON.parse(ended)).toMatchObject({
    outcome: "completed",
    result: {
      path: [
        ...["plan", "approve-plan", "code", "parallel-tests", "check-tests"],
        ...["code", "parallel-tests", "check-tests", "review"],
      ],
    },
  });
  const failed = lines.filter((line) => line.includes('"type":"step-failed"'));
  expect(failed.map((line) => JSON.parse(line).path)).toEqual([
    "parallel-tests/integration",
    "parallel-tests",
  ]);
  expect(readFileSync(join(project, "src/settings.mjs"), "utf8")).toContain('cookie = ""');
});

test("feature-development in JSON and in YAML is one workflow, whose plan a person can edit and comment on [STP-8, WF-7]", async () => {
  const cwd = projectWithExamples();
  const folder = join(cwd, "examples/feature-development");
  const [json, yaml] = await Promise.all(
    ["json", "yaml"].map((form) =>
      loadWorkflow(join(folder, `feature-development.${form}`), {
        cassette: join(folder, "answers.yaml"),
        cwd: join(folder, "sample"),
        shape: "steps",
      }),
    ),
  );
  expect(json?.definition).toEqual(yaml?.definition);
  if (json === undefined) throw new Error("there is a file");
  const place = { cwd: join(folder, "sample"), store: "memory" } as const;
  const run = runWorkflow(json, "Readers can switch to a dark mode", place);
  const edited = { files: [], approach: "as a setting", steps: ["put it on <html>"] };
  for await (const event of run.events)
    if (event.type === "approval-requested") {
      const { approval } = event;
      const decision = { decision: "approved", comment: "no new dependency", edited } as const;
      await run.command({ kind: "resolve-approval", approval, ...decision });
    }
  const { success, context, history } = await run.result;
  expect(success).toBe(true);
  expect(context.data).toMatchObject({ plan: edited, review: { approved: true } });
  expect(context.data["approve-plan"]).toMatchObject({ comment: "no new dependency" });
  expect(history[0]?.data).toMatchObject({ approach: expect.stringContaining("theme=dark") });
});

test("feature-development waits for a person, and a rejection with a reason makes another plan [STP-8, CLI-1]", async () => {
  const cwd = projectWithExamples();
  expect(() => tryOut(cwd, "feature-development", "-q")).toThrow();
  const project = join(cwd, ".troupe/feature-development");
  const decide = ["--run", "@last", "--resume", "-q"];
  const rejected = await troupe(project, ["reject", ...decide, "-m", "make it a setting"]);
  expect(rejected.exitCode).toBe(3);
  const { out: events } = await troupe(project, ["logs", "@last", "--json"]);
  expect(events).toContain("The theme is a setting like the size");
  const approved = await troupe(project, ["approve", ...decide]);
  expect(approved).toMatchObject({ exitCode: 0, out: expect.stringContaining("tests pass") });
});

test("review-team mends a change until the check passes, with its findings in the document [KCK-1, KCK-2, MSG-7]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/review-team/answers.yaml"];
  const { exitCode, out } = await troupe(cwd, ["run", example("review-team"), ...cassette]);
  expect({ exitCode, out }).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("DONE: approved; 2 findings, both fixed"),
  });
  const { out: events } = await troupe(cwd, ["logs", "@last", "--json"]);
  const checks = [...events.matchAll(/(\d) of 4 checks pass\\n/g)].map(([, passed]) => passed);
  expect(checks).toEqual(["3", "4", "4"]);
  const shared = join(cwd, ".troupe/context/review-team/default");
  const notes = readFileSync(join(shared, "notes.md"), "utf8");
  expect(notes).toContain("2. fixed: 10 percent off 1.10 is 0.9900000000000001");
  expect(readFileSync(join(shared, "channel.md"), "utf8")).toContain("[coder]\n@reviewer");
  const check = ["examples/review-team/sample/check-price.mjs", ".troupe/review-team/price.mjs"];
  const checked = execFileSync(process.execPath, check, { cwd, encoding: "utf8" });
  expect(checked).toBe("4 of 4 checks pass\n");
});

test("coordinator has links found and mended by two others, and ends only when a real check finds none [KCK-2, MSG-2, MSG-8]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/coordinator/answers.yaml"];
  const { exitCode, out } = await troupe(cwd, ["run", example("coordinator"), ...cassette]);
  expect({ exitCode, out }).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("DONE: 2 broken links are mended in .troupe/coordinator"),
  });
  const notes = readFileSync(join(cwd, ".troupe/context/coordinator/default/notes.md"), "utf8");
  expect(notes).toContain("lead nowhere:\n\n- README.md: instal.md\n- README.md: prices.md\n");
  expect(notes).toContain("4 of 4 links in .troupe/coordinator lead somewhere");
  rmSync(join(cwd, ".troupe/coordinator"), { recursive: true });
  writeFileSync(join(cwd, "examples/coordinator/sample/other.md"), "[gone](gone.md)\n");
  const untrue = await troupe(cwd, ["run", example("coordinator"), ...cassette]);
  expect(untrue.exitCode).toBe(1);
  expect(untrue.out).toContain("BACKEND_SCRIPT_MISMATCH");
});

test("standalone-helper keeps notes in the background while it is written to, and leaves them when it goes [KCK-6, KCK-8]", async () => {
  const { cwd, env, type } = createUser();
  cpSync(join(root, "examples"), join(cwd, "examples"), { recursive: true });
  const typed = join(root, "bin/troupe.js");
  const out = execFileSync("sh", ["examples/standalone-helper/standalone-helper.sh"], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env, NO_COLOR: "1", TROUPE: `${process.execPath} ${typed}` },
  });
  expect(out).toMatch(/scribe +run_\w{6} +\(standalone\) +script +idle/);
  expect(out).toContain("The shop answered 500 from 10:02 because the disk of db-1 was full.\n");
  expect(out).toContain("- 10:02 the shop answers 500\n- 10:09 the disk of db-1 is full\n");
  expect(out).toMatch(/scribe is gone \(run_\w{6}\)\n$/);
  expect((await type("list")).out).not.toContain("scribe");
});

test("research-lead sends out two agents at once, asks one again and closes both, and all of it is in the logs [COL-1, COL-8]", async () => {
  const cwd = projectWithExamples();
  const cassette = ["--cassette", "examples/research-lead/answers.yaml"];
  const { exitCode, out } = await troupe(cwd, ["run", example("research-lead"), ...cassette]);
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: expect.stringMatching(
      /spawns code.*spawns tests.*waits for code, tests.*has waited.*gives more to do to code.*has closed tests/s,
    ),
  });
  const { out: told } = await troupe(cwd, ["logs", "--json"]);
  const events = told.split("\n").filter((line) => line.includes('"collab-ended"'));
  expect(events.map((line) => JSON.parse(line)).map(({ operation }) => operation)).toEqual([
    ...["spawn", "spawn", "wait", "send", "wait", "close", "close"],
  ]);
});
test.each([
  ["hub-spoke", "small enough to read in a day", 4],
  ["hierarchical", "one person keeps it", 7],
])(
  "%s ends with what its lead says of all [PAT-hub-spoke, PAT-hierarchical]",
  async (name, result, agents) => {
    const cwd = projectWithExamples();
    git(cwd, "init", "-q");
    git(cwd, "add", "examples");
    git(cwd, "commit", "-q", "-m", "a shop");
    const answers = `examples/${name}/answers.yaml`;
    const { exitCode, out } = await troupe(cwd, [
      "run",
      example(name),
      "How is it?",
      "--cassette",
      answers,
    ]);
    expect(out).toContain(result);
    expect(out).toContain(`${agents} agents`);
    expect(exitCode).toBe(0);
  },
);

test("a matrix checks each combination that is not excluded, and one table has them all [WF-17]", async () => {
  const cwd = projectWithExamples();
  const run = await troupe(cwd, ["run", example("matrix")]);
  expect({ exitCode: run.exitCode, err: run.err }).toEqual({ exitCode: 0, err: "" });
  const rows = ["digits, C)       yes", "digits, C.UTF-8) yes", "letters, C)      no"];
  for (const row of rows)
    expect(run.out.replaceAll(/ +/g, " ")).toContain(row.replaceAll(/ +/g, " "));
  expect(run.out).not.toContain("letters, C.UTF-8");
});

test("a tested workflow keeps what its test says, and what must hold whatever its agents do [SDK-3]", async () => {
  const cwd = projectWithExamples();
  const directory = "examples/tested-review";
  const played = await troupe(cwd, ["test", `${directory}/tested-review.test.yaml`]);
  expect(played).toMatchObject({ exitCode: 0, err: "" });
  expect(played.out).toContain("2 of 2 cases passed");
  const simulated = await troupe(cwd, [
    ...["test", `${directory}/tested-review.yaml`, "--simulate", "10", "--task", "x"],
  ]);
  expect(simulated).toMatchObject({ exitCode: 0, err: "" });
});
