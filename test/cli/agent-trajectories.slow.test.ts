import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { agentTrail, onlyTrajectory, projectWithTrail, USUAL } from "./trail-project.ts";

test("agent-trajectories lists, shows, exports and finds nothing wrong with what a run leaves [TRJ-1.files]", async () => {
  const cwd = projectWithTrail();
  await call(cwd, ["run", "told.yaml", "a bridge"]);
  const { id } = onlyTrajectory(join(cwd, USUAL)).trajectory;
  expect(agentTrail(cwd, "list")).toContain(`${id}\n   a bridge (80%)`);
  expect(agentTrail(cwd, "show", id)).toContain("a bridge");
  expect(agentTrail(cwd, "export", id, "--format", "md")).toContain("# Trajectory: a bridge");
  expect(JSON.parse(agentTrail(cwd, "export", id, "--format", "json"))).toMatchObject({
    id,
    retrospective: { summary: "built" },
  });
  expect(agentTrail(cwd, "export", id, "--format", "timeline")).toContain("a bridge");
  expect(agentTrail(cwd, "doctor")).toContain("No invalid trajectory files found");
});

test("agent-trajectories shows what was decided in a run, and with which words [TRJ-1.files, TRJ-2]", async () => {
  const voter = (id: string) =>
    `  - { id: ${id}, role: voter, backend: script, script: [{ say: "VOTE: approve" }] }\n`;
  const cwd = createProject({
    "vote.yaml": `version: "1.0"
name: vote
pattern: consensus
agents:
${voter("a")}${voter("b")}trajectory: {}
`,
  });
  await call(cwd, ["run", "vote.yaml", "ship?"]);
  const { id } = onlyTrajectory(join(cwd, USUAL)).trajectory;
  const shown = agentTrail(cwd, "show", id, "--decisions");
  expect(shown).toContain("What do the agents decide?");
  expect(shown).toContain("Chose: approved");
  expect(shown).toContain("Alternatives: rejected, undecided");
});

test("what agent-trajectories writes is listed, shown and searched by troupe trail, while it goes on and after [TRJ-1.files, TRJ-3.look]", async () => {
  const cwd = createProject({});
  agentTrail(cwd, "start", "dig a well", "--quiet");
  agentTrail(cwd, "decision", "by hand", "--reasoning", "the digger is gone");
  agentTrail(cwd, "reflect", "the soil is soft", "--confidence", "0.6");
  const active = await call(cwd, ["trail", "list", "--json"]);
  expect(JSON.parse(active.out)).toMatchObject({
    trajectories: [{ title: "dig a well", status: "active" }],
  });
  agentTrail(
    cwd,
    "complete",
    "--summary",
    "it is dug",
    "--approach",
    "spades",
    "--confidence",
    "0.9",
  );
  const { id } = onlyTrajectory(join(cwd, USUAL)).trajectory;
  const { out } = await call(cwd, ["trail", "show", id]);
  for (const text of ["# Trajectory: dig a well", "it is dug", "90%", "by hand", "digger is gone"])
    expect(out).toContain(text);
  expect((await call(cwd, ["trail", "search", "soft", "soil"])).out).toContain(id);
});

test("an empty directory of trajectories, and one with a file that is none, are the same to both [TRJ-1.files]", async () => {
  const cwd = createProject({});
  mkdirSync(join(cwd, USUAL, "completed"), { recursive: true });
  expect(agentTrail(cwd, "list")).toContain("No trajectories found");
  expect((await call(cwd, ["trail"])).out).toContain("no trajectories yet");
  writeFileSync(join(cwd, USUAL, "completed", "traj_x.json"), "{}");
  expect(agentTrail(cwd, "doctor")).toContain("Found 1 invalid trajectory file");
  expect((await call(cwd, ["trail"])).err).toContain("warning[TRAIL_FILE_INVALID]");
});
