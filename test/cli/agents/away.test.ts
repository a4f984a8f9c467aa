import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject, stable } from "../fake-io.ts";
import { ASKING, ONE_STEP } from "../workflows.ts";

const CASSETTES = {
  "good.yaml": `version: 1
agents:
  coder:
    - do:
        - file: { path: src/a.ts, kind: edit }
        - usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.42 }
      say: "DONE: 2 bugs fixed"
`,
  "bad.yaml": `version: 1
agents:
  coder: [{ fail: { code: BROKEN, retryable: false, message: "no luck" } }]
`,
  "asking.yaml": ASKING,
};

/** A project with a run that finished, one that failed and one that waits; nobody has looked yet. */
async function createBusyProject() {
  const cwd = createProject({ "one.yaml": ONE_STEP, ...CASSETTES });
  const home = join(cwd, "home");
  mkdirSync(home);
  const env = { TROUPE_HOME: home };
  for (const name of ["good", "bad", "asking"])
    await call(cwd, ["run", "one.yaml", "x", "--cassette", `${name}.yaml`, "--instance", name], {
      env,
    });
  const away = (...flags: readonly string[]) => call(cwd, ["away", ...flags], { env });
  return { cwd, home, away };
}

/** Without what differs from run to run. */
function linesOf(text: string): readonly string[] {
  return stable(text)
    .replaceAll(/(look,|waiting) \S+/g, "$1 0ms")
    .replaceAll(/ {2,}/g, "  ")
    .trimEnd()
    .split("\n");
}

test("away tells what finished, failed and waits, with the command to go on [CLI-1]", async () => {
  const { away } = await createBusyProject();
  expect(linesOf((await away()).out)).toEqual([
    "in the last 24h00m",
    '✔ one@good  finished  1/1 steps  $0.42  "2 bugs fixed"',
    "✖ one@bad  failed  0/1 steps  step code: no luck  troupe show run_ID --step code",
    expect.stringMatching(
      /^▲ one@asking {2}waiting 0ms {2}permission "Bash: git push" from @coder {2}troupe approve prm_ID$/,
    ),
    expect.stringMatching(/^3 runs · \d messages? · 1 file changed · \$0\.42 spent$/),
  ]);
});

test("a look is remembered: the next one tells what is new and what still waits [CLI-1]", async () => {
  const { cwd, home, away } = await createBusyProject();
  await away();
  const [file = ""] = readdirSync(join(home, "looks"));
  expect(statSync(join(home, "looks", file)).mode & 0o777).toBe(0o600);
  const again = linesOf((await away()).out);
  expect(again[0]).toBe("since your last look, 0ms ago");
  expect(again[1]).toMatch(/^▲ one@asking/);
  expect(again[2]).toBe("1 run · 0 messages");
  await call(cwd, ["run", "one.yaml", "x", "--cassette", "good.yaml"], {
    env: { TROUPE_HOME: home },
  });
  expect((await away()).out).toContain("✔ one@default");
});

test.each([[["--no-mark"]], [["--json"]], [["--since", "1h"]]])(
  "%j is no look: what was news is news the next time [CLI-1]",
  async (flags) => {
    const { home, away } = await createBusyProject();
    expect((await away(...flags)).out).toContain("good");
    expect(readdirSync(home)).toEqual(["key"]);
    expect((await away()).out).toContain("✔ one@good");
  },
);

test("what an agent reads does not make the person miss it [T15]", async () => {
  const { cwd, home } = await createBusyProject();
  await call(cwd, ["away"], {
    env: { TROUPE_HOME: home },
    above: { family: "f1", run: "run_aaaaaa" },
  });
  expect(readdirSync(home)).toEqual(["key"]);
});

test("away --json is one object with runs and totals [CLI-1]", async () => {
  const { away } = await createBusyProject();
  const { out } = await away("--json", "--since", "2h");
  const { v, since, until, runs, totals } = JSON.parse(out);
  expect(Date.parse(until) - Date.parse(since)).toBe(7_200_000);
  expect({ v, totals }).toEqual({
    v: 1,
    totals: { runs: 3, messages: expect.any(Number), files: 1, costUsd: 0.42 },
  });
  expect(runs).toMatchObject([
    { instance: "good", group: "finished", output: "2 bugs fixed", files: ["src/a.ts"] },
    { instance: "bad", group: "failed", failure: { step: "code", message: "no luck" } },
    { instance: "asking", group: "waiting", waitingFor: [{ kind: "permission" }] },
  ]);
});

test("a look that cannot be remembered is told and harmless; a damaged one counts as none [CLI-1]", async () => {
  const { cwd, home, away } = await createBusyProject();
  const barred = await call(cwd, ["away"], { env: { TROUPE_HOME: join(cwd, "one.yaml") } });
  expect(barred.exitCode).toBe(0);
  expect(barred.err).toContain("warning[FILE_LOOK_UNWRITABLE]");
  await away();
  const [file = ""] = readdirSync(join(home, "looks"));
  const path = join(home, "looks", file);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ version: 1, project: cwd });
  writeFileSync(path, '{"lookedAt":');
  expect((await away()).out).toContain("in the last 24h00m");
});
