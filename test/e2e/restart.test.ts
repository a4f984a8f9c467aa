import { expect, test } from "vitest";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

// The agent hangs in its first session, and says so once it has begun; a fresh one finds the file.
const TEAM = `name: team
context: null
agents:
  coder:
    backend: command
    command: ["sh", "-c", "if [ -e begun ]; then echo finished; else touch begun; echo $$ > pid; exec sleep 600; fi"]
kickoff: "@coder do the work"
`;

test("restart lets one agent of a team begin anew while the team goes on [USE-10.restart]", async () => {
  const cwd = createProject({ "team.yaml": TEAM });
  const team = startTroupe(cwd, ["start", "team.yaml", "--instance", "pr-1"]);
  await team.seen(/joined/u);
  await expect.poll(async () => (await troupe(cwd, ["list"])).out).toMatch(/coder@pr-1.*working/u);
  const { exitCode, out, err } = await troupe(cwd, ["restart", "coder@pr-1"]);
  expect({ exitCode, out, err }).toEqual({
    exitCode: 0,
    out: "coder@pr-1 begins anew; what it works on comes again\n",
    err: "",
  });
  await team.seen(/coder +↻ begins anew, as user wants[\s\S]*finished/u);
  const idle = await troupe(cwd, ["restart", "coder@pr-1", "--json"]);
  expect(JSON.parse(idle.out)).toMatchObject({ v: 1, agent: "coder", status: "done" });
  const run = await troupe(cwd, ["restart", "@last"]);
  expect(run.exitCode).toBe(2);
  expect(run.err).toMatch(/"@last" is no agent\n *= name one of run_\w+: coder/u);
  team.kill("SIGINT");
  await team.ended;
});

test("an agent of a run that nobody carries out begins anew when it is resumed [USE-10.restart, ENG-19]", async () => {
  const cwd = createProject({ "team.yaml": TEAM });
  const team = startTroupe(cwd, ["start", "team.yaml"]);
  await team.seen(/joined/u);
  await expect
    .poll(async () => (await troupe(cwd, ["list"])).out)
    .toMatch(/coder@default.*working/u);
  team.kill("SIGKILL");
  await team.ended;
  const recorded = await troupe(cwd, ["restart", "coder@default"]);
  expect(recorded.out).toMatch(/^recorded; nobody runs it: troupe resume run_\w{6}\n$/u);
  const again = startTroupe(cwd, ["resume", "@last"]);
  await again.seen(/begins anew, as user wants/u);
  again.kill("SIGINT");
  await again.ended;
});
