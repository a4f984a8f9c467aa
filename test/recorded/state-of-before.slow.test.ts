import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readBackgroundRuns } from "../../src/app/background/background-runs.ts";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { call, createProject } from "../cli/fake-io.ts";
import { recordedIn, writeRuns } from "./recorded-run.ts";

// What the first version left in a project and in the user's directory, with its run that waits for an answer: made by
// its command, with PROJECT where it named the project.
const STATE = join(import.meta.dirname, "state");

test("a question that a run of before asked is asked under the same id, and its answer goes to the turn [ENG-16, ENG-19]", async () => {
  const cwd = createProject({});
  const [recorded] = recordedIn(cwd, "question.waiting");
  if (recorded === undefined) throw new Error("the recording is empty");
  const { run, events } = recorded;
  const asked = events.flatMap((event) => (event.type === "question-asked" ? [event.id] : []));
  await writeRuns(createMachineAt({ cwd }), [recorded]);
  const waiting = await call(cwd, ["resume", run]);
  expect(waiting.exitCode).toBe(3);
  expect(await idsInInbox(cwd)).toEqual(asked);
  await call(cwd, ["answer", asked[0] ?? "", "fine"]);
  expect(await call(cwd, ["resume", run])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("✔ done"),
  });
  expect((await call(cwd, ["show", run, "--step", "b"])).out).toContain("fine");
});

test("a project that the version before trusted is trusted, its list of runs is read, and its background runs are known [ENG-16]", async () => {
  const cwd = createProject({
    ".troupe/config.yaml": readFileSync(join(STATE, "config.yaml"), "utf8"),
  });
  const home = createProject({});
  for (const file of ["trust.json", "projects.json", "background.json"]) {
    const text = readFileSync(join(STATE, file), "utf8").replaceAll("PROJECT", cwd);
    writeFileSync(join(home, file), text, { mode: 0o600 });
  }
  mkdirSync(join(cwd, ".troupe", "runs"), { recursive: true });
  copyFileSync(join(STATE, "index.db"), join(cwd, ".troupe", "index.db"));
  await writeRuns(createMachineAt({ cwd }), recordedIn(cwd, "question.waiting"));
  const env = { TROUPE_HOME: home };
  const shown = await call(cwd, ["trust", "--show"], { env });
  expect(shown).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^state +trusted$/m) });
  const listed = await call(cwd, ["runs"], { env });
  expect(listed).toMatchObject({ exitCode: 0, err: "" });
  expect(listed.out).toMatch(/^run_v93q7m +gate@default/m);
  expect(readBackgroundRuns(join(home, "background.json"))).toMatchObject([
    { run: "run_v93q7m", status: "held" },
  ]);
});

async function idsInInbox(cwd: string): Promise<readonly string[]> {
  const { out } = await call(cwd, ["inbox", "--json"]);
  return out.match(/qst_\w+/g) ?? [];
}
