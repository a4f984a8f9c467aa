import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../programs/temporary-directory.ts";
import { type Ended, startTroupe } from "./troupe-process.ts";

const SOURCES = join(import.meta.dirname, "../workflows/kickoff-sources");
const DIFF = "+ fixed by @coder in `a.ts`";

/** A project with the examples of the source and a `gh` that prints a diff. */
function createProject(): { readonly cwd: string; readonly env: { readonly PATH: string } } {
  const cwd = temporaryDirectory();
  cpSync(SOURCES, cwd, { recursive: true });
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "gh"), `#!/bin/sh\necho '${DIFF}'\n`);
  chmodSync(join(bin, "gh"), 0o755);
  return { cwd, env: { PATH: `${bin}:${process.env["PATH"]}` } };
}

function eventsOf({ out }: Ended): readonly { readonly [key: string]: unknown }[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test.each([
  { file: "review.yaml", name: "code-review", woken: ["reviewer", "coder"] },
  { file: "simple-review.yaml", name: "review", woken: ["reviewer"] },
  { file: "collaboration.yaml", name: "code-review", woken: ["coordinator", "reviewer", "coder"] },
])("the example $file runs as it stands [KCK-1, KCK-2, KCK-3, KCK-8, AGT-4]", async (given) => {
  const { cwd, env } = createProject();
  const args = ["run", given.file, "--backend", "script", "--instance", "pr-123", "--json"];
  const ended = await startTroupe(cwd, args, env).ended;
  expect(ended).toMatchObject({ exitCode: 0, err: "" });
  const events = eventsOf(ended);
  const posted = events.filter(({ type }) => type === "message-posted");
  expect(posted[0]).toMatchObject({ from: "system", text: "Workflow started" });
  expect(posted[1]).toMatchObject({ from: "system", mentions: given.woken });
  expect(String(posted[1]?.["text"])).toContain(DIFF);
  expect(events.at(-1)).toMatchObject({
    type: "run-ended",
    outcome: "completed",
    result: {
      agents: given.woken.map((name) => ({ name, turns: 1, text: `DONE: ${name} done` })),
    },
  });
  const channel = join(cwd, ".troupe/context", given.name, "pr-123/channel.md");
  expect(readFileSync(channel, "utf8")).toMatch(/^### \d\d:\d\d:\d\d \[system\]\nWorkflow started/);
});

test("one instance has one live run, another instance runs beside it [KCK-7]", async () => {
  const { cwd, env } = createProject();
  writeFileSync(join(cwd, "slow.yaml"), "version: 1\ndefault: [{ after: 20s, say: late }]\n");
  const run = (instance: string, ...more: readonly string[]) =>
    startTroupe(cwd, ["run", "simple-review.yaml", "--instance", instance, ...more], env);
  const first = run("one", "--cassette", "slow.yaml");
  const [, id = ""] = await first.seen(/(run_\w+) review@one started/);
  await first.seen(/Please review/);
  const second = await run("one", "--backend", "script").ended;
  expect(second.exitCode).toBe(6);
  expect(second.err).toContain(`error[WORKFLOW_INSTANCE_RUNNING]`);
  expect(second.err).toContain(id);
  expect(await run("two", "--backend", "script").ended).toMatchObject({ exitCode: 0 });
  first.kill("SIGKILL");
  await first.ended;
  // Whoever is gone holds nothing.
  expect(await run("one", "--backend", "script").ended).toMatchObject({ exitCode: 0 });
});

test("a conversation whose owner was killed goes on where it was, and nothing is said twice [ENG-2, KCK-3, P1]", async () => {
  const { cwd, env } = createProject();
  writeFileSync(
    join(cwd, "talk.yaml"),
    [
      "version: 1",
      "agents:",
      "  reviewer: [{ say: '@coder line 42' }, { say: verified }]",
      "  coder: [{ say: ready }, { after: 3s, say: 'fixed, @reviewer' }]",
    ].join("\n"),
  );
  const first = startTroupe(cwd, ["run", "review.yaml", "--cassette", "talk.yaml"], env);
  const [, id = ""] = await first.seen(/(run_\w+) code-review@default started/);
  await first.seen(/line 42/);
  first.kill("SIGKILL");
  await first.ended;
  const ended = await startTroupe(cwd, ["resume", id, "--json"], env).ended;
  expect(ended).toMatchObject({ exitCode: 0, err: "" });
  const shown = await startTroupe(cwd, ["logs", id, "--json"], env).ended;
  const said = eventsOf(shown)
    .filter(({ type, from }) => type === "message-posted" && from !== "system")
    .map(({ from, text }) => `${from}: ${text}`);
  expect(said.toSorted()).toEqual([
    "coder: fixed, @reviewer",
    "coder: ready",
    "reviewer: @coder line 42",
    "reviewer: verified",
  ]);
});
