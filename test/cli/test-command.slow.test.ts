import { expect, test } from "vitest";
import { z } from "zod";
import { call, createProject } from "./fake-io.ts";
import { ONE_STEP } from "./workflows.ts";

const GOOD = `version: 1
workflow: one.yaml
cases:
  - name: it is done
    task: x
    agents: { coder: [{ say: "DONE: coded" }] }
    expect: { output: coded }
`;
const WRONG = GOOD.replace("output: coded", "output: painted").replace("it is", "it is not");

test("test plays cases and tells each, and of what differs its place and the run that is kept [SDK-3]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "a.test.yaml": GOOD, "b.test.yaml": WRONG });
  const good = await call(cwd, ["test", "a.test.yaml"]);
  expect(good).toMatchObject({ exitCode: 0, err: "" });
  expect(good.out).toMatch(
    /a\.test\.yaml\n {2}✔ it is done {2}\S+\n✔ 1 of 1 case passed in \S+\n$/,
  );
  const both = await call(cwd, ["test", "a.test.yaml", "b.test.yaml"]);
  expect(both.exitCode).toBe(1);
  expect(both.out).toMatch(
    /b\.test\.yaml:7:\d+ {2}expect\.output\n {6}expected "painted"\n {6}got {6}"coded"/,
  );
  const [, run = ""] = /show (run_\w+)/.exec(both.out) ?? [];
  expect(await call(cwd, ["show", run])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("coded"),
  });
  const json = await call(cwd, ["test", "b.test.yaml", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    v: 1,
    passed: 0,
    failed: 1,
    cases: [{ status: "failed", differences: [{ path: "expect.output", line: 7 }] }],
  });
});

test("a run that a test keeps happened when the test did, so lists tell its age and gc leaves it [SDK-15.kept]", async () => {
  const slow = WRONG.replace("task: x", "task: x\n    within: 40d").replace(
    "[{ say:",
    '[{ after: "30d", say:',
  );
  const cwd = createProject({ "one.yaml": ONE_STEP, "b.test.yaml": slow });
  const begunAt = Date.now();
  const { out } = await call(cwd, ["test", "b.test.yaml"]);
  const [, run = ""] = /show (run_\w+)/.exec(out) ?? [];
  const listed = async () => {
    const { runs } = z
      .object({ runs: z.array(z.looseObject({ id: z.string(), endedAt: z.string() })) })
      .parse(JSON.parse((await call(cwd, ["runs", "--json"])).out));
    return runs;
  };
  const [kept] = await listed();
  expect(kept?.id).toBe(run);
  expect(Date.parse(kept?.endedAt ?? "")).toBeGreaterThanOrEqual(begunAt);
  expect(Date.parse(kept?.endedAt ?? "")).toBeLessThanOrEqual(Date.now());
  await call(cwd, ["gc", "--yes"]);
  expect((await listed()).map((each) => each.id)).toEqual([run]);
});

test("test plays the cases that -t names, and refuses what is no test [SDK-3]", async () => {
  const files = { "one.yaml": ONE_STEP, "a.test.yaml": GOOD, "b.test.yaml": WRONG };
  const cwd = createProject({ ...files, "c.test.yaml": "version: 2\n" });
  const chosen = await call(cwd, ["test", "a.test.yaml", "b.test.yaml", "-t", "IS DONE"]);
  expect(chosen).toMatchObject({ exitCode: 0, out: expect.stringContaining("1 of 1 case") });
  const none = await call(cwd, ["test", "a.test.yaml", "-t", "nothing like it"]);
  expect(none).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("TEST_NOTHING_SELECTED"),
  });
  const broken = await call(cwd, ["test", "c.test.yaml"]);
  expect(broken).toMatchObject({ exitCode: 2, err: expect.stringContaining("TEST_FILE_INVALID") });
  const missing = await call(cwd, ["test", "a.test.yaml", "--seed", "1"]);
  expect(missing).toMatchObject({ exitCode: 2, err: expect.stringContaining("--simulate") });
});

test("test --simulate tells how runs end, and one seed plays one of them once more [SDK-3]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "a.test.yaml": GOOD });
  const told = await call(cwd, ["test", "one.yaml", "a.test.yaml", "--simulate", "4"]);
  expect(told).toMatchObject({ exitCode: 0, err: "" });
  expect(told.out).toMatch(
    /one\.yaml {2}seeds 1 to 4\n[\s\S]*a\.test\.yaml: it is done {2}seeds 1 to 4/,
  );
  expect(told.out).toContain("all of 8 simulated runs kept what must hold");
  const json = await call(cwd, ["test", "one.yaml", "--simulate", "1", "--seed", "9", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ v: 1, files: [{ runs: 1, violations: [] }] });
});
