import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { onlyTrajectory, projectWithTrail, USUAL } from "./trail-project.ts";

async function projectWithRun(): Promise<{ readonly cwd: string; readonly id: string }> {
  const cwd = projectWithTrail();
  await call(cwd, ["run", "told.yaml", "a bridge"]);
  return { cwd, id: onlyTrajectory(join(cwd, USUAL)).trajectory.id };
}

/** A trajectory as another tool may write it: the least that is one. */
function leastTrajectory(id: string, title: string): string {
  const agent = { name: "ann", role: "lead", joinedAt: "2026-01-01T00:00:00.000Z" };
  const startedAt = agent.joinedAt;
  const head = { id, version: 1, status: "active", startedAt };
  return JSON.stringify({ ...head, task: { title }, agents: [agent], chapters: [] });
}

test("list tells all trajectories, the newest first, in a table and as JSON, by status and number [TRJ-3.look]", async () => {
  const { cwd, id } = await projectWithRun();
  const active = join(cwd, USUAL, "active");
  mkdirSync(active, { recursive: true });
  writeFileSync(join(active, "traj_old.json"), leastTrajectory("traj_old", "dig a well"));
  const { out } = await call(cwd, ["trail"]);
  expect(out.split("\n").map((line) => line.split(/\s{2,}/))).toEqual([
    ["TRAJECTORY", "STATUS", "CONFIDENCE", "CHAPTERS", "AGE", "TITLE"],
    [id, "completed", "80%", "3", expect.stringMatching(/^[\d.]+m?s$/), "a bridge"],
    ["traj_old", "active", "-", "0", expect.stringMatching(/^\d+h\d\dm$/), "dig a well"],
    [""],
  ]);
  const listed = await call(cwd, ["trail", "list", "--status", "active", "--json"]);
  expect(JSON.parse(listed.out)).toEqual({
    v: 1,
    trajectories: [
      {
        ...{ id: "traj_old", status: "active", title: "dig a well", run: null },
        ...{ startedAt: "2026-01-01T00:00:00.000Z", endedAt: null, confidence: null },
        ...{ chapters: 0, tags: [], file: join(active, "traj_old.json") },
      },
    ],
  });
  const one = await call(cwd, ["trail", "list", "--limit", "1", "--json"]);
  expect(JSON.parse(one.out)).toMatchObject({ trajectories: [{ id }] });
});

test("show tells a trajectory by the beginning of its id, and any run from its journal [TRJ-3.look]", async () => {
  const { cwd, id } = await projectWithRun();
  const shown = await call(cwd, ["trail", "show", id.slice(0, 9)]);
  expect(shown.out).toMatch(/^# Trajectory: a bridge\n[\s\S]*## Summary\n\nbuilt\n/);
  expect((await call(cwd, ["trail", "show", id.slice("traj_".length)])).out).toBe(shown.out);
  expect((await call(cwd, ["trail", "show", "@last"])).out).toBe(shown.out);
  const file = readFileSync(join(cwd, USUAL, onlyTrajectory(join(cwd, USUAL)).path), "utf8");
  const { out } = await call(cwd, ["trail", "show", "@last", "--json"]);
  expect(JSON.parse(out)).toEqual({ v: 1, trajectory: JSON.parse(file) });
});

test("show --decisions tells what was decided and nothing else [TRJ-3.look]", async () => {
  const vote = (id: string, say: string) =>
    `  - { id: ${id}, role: voter, backend: script, script: [{ say: "${say}" }] }\n`;
  const cwd = createProject({
    "vote.yaml": `version: "1.0"
name: vote
pattern: consensus
agents:
${vote("a", "VOTE: approve, it is fine")}${vote("b", "VOTE: approve")}`,
  });
  await call(cwd, ["run", "vote.yaml", "ship?"]);
  expect((await call(cwd, ["trail", "show", "@last", "--decisions"])).out).toBe(
    [
      "### What do the agents decide?",
      "",
      "- **Chosen:** approved",
      "- **Instead of:** rejected, undecided",
      "- **Because:** approved: 2 to 0, 2 votes, 1 needed",
      "",
    ].join("\n"),
  );
});

test("search finds trajectories in which all words occur, what is to be remembered before what happened [TRJ-4.search]", async () => {
  const { cwd, id } = await projectWithRun();
  writeFileSync(
    join(cwd, USUAL, "completed", "traj_well.json"),
    leastTrajectory("traj_well", "a wonderful well"),
  );
  const idsOf = async (...words: readonly string[]) => {
    const { out } = await call(cwd, ["trail", "search", ...words, "--json"]);
    const { found } = JSON.parse(out);
    return found.map(({ entry }: { readonly entry: { readonly id: string } }) => entry.id);
  };
  expect(await idsOf("WONDERFUL")).toEqual(["traj_well", id]);
  expect(await idsOf("wonderful plan")).toEqual([id]);
  expect(await idsOf("wonderful", "bridge")).toEqual([id]);
  expect(await idsOf("wonderful", "tunnel")).toEqual([]);
  expect((await call(cwd, ["trail", "search", "well"])).out).toBe(
    "traj_well  active  a wonderful well\n  a wonderful well\n",
  );
  expect((await call(cwd, ["trail", "search", "tunnel"])).out).toBe(
    "no trajectory has all of these words\n",
  );
});

test("export writes a trajectory as Markdown, JSON or in the order of time, to a file or to standard output [TRJ-3.look]", async () => {
  const { cwd, id } = await projectWithRun();
  const markdown = await call(cwd, ["trail", "export", id]);
  expect(markdown.out).toMatch(/^# Trajectory: a bridge\n/);
  await call(cwd, ["trail", "export", id, "-o", "told.md"]);
  expect(readFileSync(join(cwd, "told.md"), "utf8")).toBe(markdown.out);
  for (const name of ["md", "markdown"])
    expect(await call(cwd, ["trail", "export", id, "--format", name])).toEqual(markdown);
  const json = await call(cwd, ["trail", "export", id, "--format", "json"]);
  expect(JSON.parse(json.out)).toMatchObject({ id, version: 1 });
  const timeline = await call(cwd, ["trail", "export", id, "--format", "timeline"]);
  const lines = timeline.out.trimEnd().split("\n");
  expect(lines).toEqual(
    lines.toSorted((left, right) => (left.slice(0, 24) < right.slice(0, 24) ? -1 : 0)),
  );
  expect(lines[0]).toMatch(/^\d{4}-\S+Z \[The run\] prompt: a bridge$/);
});

test("files that are no trajectories are told and passed over; those of earlier layouts and places are read [TRJ-1.files, TRJ-5]", async () => {
  const cwd = createProject({});
  const files = {
    ".trajectories/completed/2025-01/traj_a.json": leastTrajectory("traj_a", "monthly"),
    ".trajectories/completed/traj_b.json": leastTrajectory("traj_b", "flat"),
    ".trajectories/index.json": "{}",
    ".trajectories/completed/2025-01/traj_a.trace.json": "{}",
    ".trajectories/completed/2025-01/traj_a.compaction.json": "{}",
    [`${USUAL}/active/traj_c/trajectory.json`]: leastTrajectory("traj_c", "in a directory"),
    [`${USUAL}/active/traj_d.json`]: "{ half",
    [`${USUAL}/active/traj_e.json`]: leastTrajectory("no id", "wrong"),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const { exitCode, out } = await call(cwd, ["trail", "list", "--json"]);
  const { trajectories } = JSON.parse(out);
  expect(exitCode).toBe(0);
  expect(trajectories.map(({ id }: { readonly id: string }) => id).toSorted()).toEqual([
    ...["traj_a", "traj_b", "traj_c"],
  ]);
  const told = await call(cwd, ["trail"]);
  expect(told.err.match(/warning\[TRAIL_FILE_INVALID\]: \S+traj_[de]\.json/g)).toHaveLength(2);
  const elsewhere = await call(cwd, ["trail", "list", "--dir", ".trajectories", "--json"]);
  expect(JSON.parse(elsewhere.out).trajectories).toHaveLength(2);
});

test.each([
  ["show", "USAGE_INVALID"],
  ["show a b", "USAGE_INVALID"],
  ["export", "USAGE_INVALID"],
  ["search", "USAGE_INVALID"],
  ["list all", "USAGE_INVALID"],
  ["list --decisions", "USAGE_INVALID"],
  ["search x --format md", "USAGE_INVALID"],
  ["list --limit none", "USAGE_INVALID"],
  ["show traj_none", "TRAIL_NOT_FOUND"],
  ["show traj_", "TRAIL_AMBIGUOUS"],
  ["export @last -o missing/told.md", "FILE_UNWRITABLE"],
])("trail %s is refused with %s", async (line, code) => {
  const { cwd } = await projectWithRun();
  writeFileSync(
    join(cwd, USUAL, "completed", "traj_well.json"),
    leastTrajectory("traj_well", "a wonderful well"),
  );
  const { exitCode, out, err } = await call(cwd, ["trail", ...line.split(" ")]);
  expect({ exitCode, out, isTold: err.includes(`error[${code}]`) }).toEqual({
    ...{ exitCode: 2, out: "", isTold: true },
  });
});

test("--json and another format exclude each other", async () => {
  const { cwd } = await projectWithRun();
  const { exitCode, out } = await call(cwd, [
    "trail",
    "export",
    "@last",
    "--json",
    "--format",
    "md",
  ]);
  expect({ exitCode, told: JSON.parse(out) }).toMatchObject({
    exitCode: 2,
    told: { error: { code: "USAGE_INVALID" } },
  });
});
