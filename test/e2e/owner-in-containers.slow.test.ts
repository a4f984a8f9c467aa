import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { has } from "../machine.ts";
import { createProject, startTroupeIn, troupe } from "./troupe-process.ts";

// What needs namespaces of its own: containers that share a project, and a project under a second name.

/** A container as far as processes are concerned: pids of its own, and all of it ends with its first process. */
const CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

const SLOW = `version: "1.0"
name: slow
pattern: pipeline
agents:
  - id: a
    backend: command
    command: ["sh", "-c", "echo start >> ledger; while [ ! -e go ]; do sleep 0.1; done; echo end >> ledger"]
steps: [{ id: one, agent: a, prompt: x }]
`;

function inContainer(cwd: string, args: readonly string[]) {
  return startTroupeIn(CONTAINER, cwd, { args, env: {} });
}

function ledgerOf(cwd: string): readonly string[] {
  const file = join(cwd, "ledger");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

async function startSlow() {
  const cwd = createProject({ "slow.yaml": SLOW });
  const owner = inContainer(cwd, ["run", "slow.yaml"]);
  await expect.poll(() => ledgerOf(cwd), { timeout: 60_000 }).toEqual(["start"]);
  return { cwd, owner };
}

test.runIf(has("pid namespaces"))(
  "a run that lives in one container is neither resumed nor ended from another, and its step runs once [ENG-20.elsewhere, ENG-20.identity]",
  async () => {
    const { cwd, owner } = await startSlow();
    const [resumed, outside] = await Promise.all([
      inContainer(cwd, ["resume", "@last"]).ended,
      troupe(cwd, ["resume", "@last"]),
    ]);
    for (const { exitCode, err } of [resumed, outside]) {
      expect(err).toMatch(/waiting up to \d+ s for run_\w+: owned by pid \d+ .*container/);
      expect(err).toContain("error[ENGINE_RUN_OWNED]");
      expect(exitCode).toBe(6);
    }
    writeFileSync(join(cwd, "go"), "");
    expect(await owner.ended).toMatchObject({ exitCode: 0 });
    expect(ledgerOf(cwd)).toEqual(["start", "end"]);
    expect((await troupe(cwd, ["logs", "@last", "--json"])).out).not.toContain("owner-died");
  },
);

test.runIf(has("pid namespaces"))(
  "when the container of an owner has ended, another one takes its run after one TTL, and says that it waits [ENG-20.elsewhere]",
  async () => {
    const { cwd, owner } = await startSlow();
    owner.kill("SIGKILL");
    await owner.ended;
    writeFileSync(join(cwd, "go"), "");
    const resumed = await inContainer(cwd, ["resume", "@last"]).ended;
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.err).toMatch(/waiting up to \d+ s for run_\w+: owned by pid \d+ /);
    expect(ledgerOf(cwd)).toEqual(["start", "start", "end"]);
  },
);

test.runIf(has("pid namespaces"))(
  "a run whose owner's container has ended is canceled from outside after one TTL [ENG-20.elsewhere, USE-2]",
  async () => {
    const { cwd, owner } = await startSlow();
    owner.kill("SIGKILL");
    await owner.ended;
    expect(await troupe(cwd, ["cancel", "@last"])).toMatchObject({ exitCode: 0 });
    const shown = await troupe(cwd, ["show", "@last", "--json"]);
    expect(JSON.parse(shown.out)).toMatchObject({ run: { outcome: "cancelled" } });
  },
);

const FAILING = `version: "1.0"
name: failing
pattern: pipeline
agents:
  - { id: a, backend: command, command: ["sh", "-c", "echo a >> ledger; test -e go"] }
steps: [{ id: one, agent: a, prompt: x }]
`;

test.runIf(has("the right to mount"))(
  "a bind mount leads to the same project, in which its runs act [ENG-23.place]",
  async () => {
    const cwd = join(
      createProject({ "w/p/failing.yaml": FAILING, "w/p/.troupe/.keep": "" }),
      "w",
      "p",
    );
    expect(await troupe(cwd, ["run", "failing.yaml"])).toMatchObject({ exitCode: 1 });
    const other = `${cwd}-mounted`;
    mkdirSync(other);
    writeFileSync(join(cwd, "go"), "");
    const mounted = `mount --bind "$0" "$1"; cd "$1"; shift; exec "$@"`;
    const inMount = ["unshare", "--mount", "sh", "-ec", mounted, cwd, other];
    expect(
      await startTroupeIn(inMount, cwd, { args: ["rerun", "@last"], env: {} }).ended,
    ).toMatchObject({
      exitCode: 0,
    });
    expect(ledgerOf(cwd)).toEqual(["a", "a"]);
  },
);
