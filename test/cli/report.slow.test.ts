import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Called, call, createProject } from "./fake-io.ts";
import { ASKING, CASSETTE, ONE_STEP, TWO_STEPS } from "./workflows.ts";

const PLAY = ["--cassette", "cassette.yaml"];

async function projectWithRun(): Promise<string> {
  const cwd = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  await call(cwd, ["run", "two.yaml", "write a plan", ...PLAY]);
  return cwd;
}

function reportIn(file: string) {
  const html = readFileSync(file, "utf8");
  const [, data = "null"] = /id="troupe-run">([^<]*)</.exec(html) ?? [];
  const report: unknown = JSON.parse(data);
  return report;
}

function eventsOf({ out }: Called): readonly unknown[] {
  return out
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

test("report writes the whole run beside its journal, for its owner only, and prints where [CLI-1]", async () => {
  const cwd = await projectWithRun();
  const told = await call(cwd, ["report", "@last"]);
  expect(told).toEqual({
    exitCode: 0,
    out: expect.stringMatching(/^\.troupe\/runs\/run_\w{6}\/report\.html\n$/),
    err: "",
  });
  const file = join(cwd, told.out.trim());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const events = eventsOf(await call(cwd, ["logs", "@last", "--json-all"]));
  expect(reportIn(file)).toMatchObject({
    v: 1,
    isRedacted: false,
    graph: { nodes: [{ id: "plan" }, { id: "verify" }], edges: [{ from: "plan", to: "verify" }] },
    events: events.map((_, index) => ({ seq: index + 1 })),
  });
});

test("-o names the file, relative to the directory of the command, and replaces an older report [CLI-1]", async () => {
  const cwd = await projectWithRun();
  writeFileSync(join(cwd, "run.html"), "older");
  expect(await call(cwd, ["report", "@last", "-o", "run.html"])).toEqual({
    exitCode: 0,
    out: "run.html\n",
    err: "",
  });
  expect(reportIn(join(cwd, "run.html"))).toMatchObject({ v: 1 });
  expect(statSync(join(cwd, "run.html")).mode & 0o777).toBe(0o600);
});

test("what cannot be written, and a run that is not there, are told with exit code 2 [CLI-1]", async () => {
  const cwd = await projectWithRun();
  for (const path of ["missing/run.html", ".", "/dev/null"]) {
    const { exitCode, out, err } = await call(cwd, ["report", "@last", "-o", path]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("error[FILE_UNWRITABLE]");
  }
  const { exitCode, err } = await call(cwd, ["report", "run_none"]);
  expect({ exitCode, isKnown: err.includes("error[RUN_NOT_FOUND]") }).toEqual({
    exitCode: 2,
    isKnown: true,
  });
});

test("known secrets never reach a report, and that they stood in the run is told [T11]", async () => {
  const env = { SHOP_TOKEN: "wonderful-plan" };
  const cwd = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  await call(cwd, ["run", "two.yaml", "make a wonderful-plan", ...PLAY]);
  const { exitCode, err } = await call(cwd, ["report", "@last", "-o", "run.html"], { env });
  expect({ exitCode, isWarned: err.includes("warning[RUN_REPORT_SECRETS]") }).toEqual({
    exitCode: 0,
    isWarned: true,
  });
  const html = readFileSync(join(cwd, "run.html"), "utf8");
  expect(html).not.toContain("wonderful-plan");
  expect(html).toContain("make a ***");
});

test("--redact takes the project's own path out, and the page says so", async () => {
  const cwd = await projectWithRun();
  await call(cwd, ["report", "@last", "-o", "open.html"]);
  await call(cwd, ["report", "@last", "-o", "closed.html", "--redact"]);
  expect(readFileSync(join(cwd, "open.html"), "utf8")).toContain(cwd);
  expect(readFileSync(join(cwd, "closed.html"), "utf8")).not.toContain(cwd);
  expect(reportIn(join(cwd, "closed.html"))).toMatchObject({ isRedacted: true });
});

test("a run that waits for a person has a report too, also by run --report [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": ASKING });
  const command = ["run", "one.yaml", "push it", ...PLAY, "--report", "at-end.html"];
  const { exitCode, out } = await call(cwd, command);
  expect(exitCode).toBe(3);
  expect(out).toMatch(/\nreport at-end\.html\n$/);
  expect(reportIn(join(cwd, "at-end.html"))).toMatchObject({ v: 1 });
  expect((await call(cwd, ["report", "@last"])).exitCode).toBe(0);
  const resumed = await call(cwd, ["resume", "@last", "--report", "later.html", "--json"]);
  expect(resumed.exitCode).toBe(3);
  expect(resumed.out).not.toContain("later.html");
  expect(existsSync(join(cwd, "later.html"))).toBe(true);
});

test("a report that cannot be written is a warning, and the exit code is that of the run", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "cassette.yaml": CASSETTE });
  const command = ["run", "one.yaml", "x", ...PLAY, "--report", "missing/run.html"];
  const { exitCode, err } = await call(cwd, command);
  expect(exitCode).toBe(0);
  expect(err).toContain("warning[FILE_UNWRITABLE]");
});
