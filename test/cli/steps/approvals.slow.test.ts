import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import { unmarked } from "../../programs/unmarked.ts";
import { type Called, call, createFakeIo, createProject, type FakeIoOptions } from "../fake-io.ts";
import { FEATURE_FILES, PLAY } from "./feature-file.ts";

/** Asks whether the data of the step before may be shipped, and ships it. */
const SHIP = `id: ship
agents: [{ id: coder, backend: script }]
steps:
  - { id: plan, type: transform, transform: input, next: ask }
  - id: ask
    type: approval
    message: "Ship {{context.plan.version}}?"
    next: ship
  - { id: ship, type: agent, agent: coder, prompt: "Ship {{context.plan.version}}" }
`;
/** Nobody decides in time. */
const LATE = `id: late
steps:
  - { id: ask, type: approval, timeout_ms: 1, on_timeout: remind, on_reject: refused, next: approved }
  - { id: approved, type: transform, transform: '"approved"' }
  - { id: refused, type: transform, transform: '"refused"' }
  - { id: remind, type: transform, transform: '"reminded"' }
`;
const ROUTED = LATE.replace("timeout_ms: 1, on_timeout: remind, ", "").replace(
  / {2}- \{ id: remind.*\n/,
  "",
);
const FILES = { ...FEATURE_FILES, "ship.yaml": SHIP, "late.yaml": LATE, "routed.yaml": ROUTED };

async function itemOf(cwd: string) {
  const { items } = JSON.parse((await call(cwd, ["inbox", "--json"])).out);
  return items[0];
}

async function startWaiting(cwd: string): Promise<string> {
  const args = ["run", "ship.yaml", "-i", "version=7", "-i", "note=ok", "--backend", "script"];
  expect((await call(cwd, args)).exitCode).toBe(3);
  return (await itemOf(cwd)).id;
}

function codeOf({ err }: Called): string | undefined {
  return /error\[(\w+)\]/.exec(err)?.[1];
}

/** What agents were told in the last run, in order. */
async function promptsOf(cwd: string): Promise<readonly string[]> {
  const { out } = await call(cwd, ["logs", "@last", "--json=all"]);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .flatMap(({ type, kind, input }) =>
      type === "operation-scheduled" && kind === "turn" ? [unmarked(input.prompt)] : [],
    );
}

/** A terminal whose editor writes what `edit` makes of the file. */
function withEditor(
  edit: (text: string) => string,
): Pick<FakeIoOptions, "env" | "isTerminal" | "program"> {
  return {
    isTerminal: true,
    env: { EDITOR: "edit", NO_COLOR: "1" },
    program: ([, file = ""]) => {
      writeFileSync(file, edit(readFileSync(file, "utf8")));
      return 0;
    },
  };
}

test("without a terminal the run lets go with exit code 3, and says what is asked and how to answer [STP-8, CLI-1]", async () => {
  const cwd = createProject(FILES);
  const { exitCode, out } = await call(cwd, ["run", "feature.yaml", "x", ...PLAY]);
  expect(exitCode).toBe(3);
  const { id, step, text, show } = await itemOf(cwd);
  expect({ step, text }).toEqual({ step: "approve-plan", text: "Build login?" });
  expect(show).toEqual({ title: "login", files: ["a.ts", "b.ts"] });
  expect(out).toContain(`approve-plan ▲ approval ${id}: "Build login?"`);
  expect(out).toMatch(/to be approved:\n.*title: login\n.*files:\n.*- a\.ts\n.*- b\.ts\n/);
  expect(out).toContain(`troupe approve ${id} · troupe reject ${id} -m "why"`);
});

test("a decision is recorded while nobody runs the run, and --resume goes on with it at once [STP-8, ENG-19]", async () => {
  const cwd = createProject(FILES);
  const id = await startWaiting(cwd);
  const approved = await call(cwd, ["approve", id, "-m", "mind the docs"]);
  expect(approved.exitCode).toBe(0);
  expect((await call(cwd, ["resume", "@last"])).exitCode).toBe(0);
  expect(await promptsOf(cwd)).toEqual([
    `Ship 7\n\n## Comment of the person who decided "ask"\n\nmind the docs`,
  ]);
  const again = await startWaiting(cwd);
  const { exitCode, out } = await call(cwd, ["approve", again, "--resume"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("ship");
});

test("what a person edits is what the next step works with; both versions stay in the journal [STP-8]", async () => {
  const cwd = createProject(FILES);
  const id = await startWaiting(cwd);
  const editor = withEditor((text) => text.replace(/version: .*/, "version: 8"));
  const { exitCode, out } = await call(cwd, ["approve", id, "--edit", "--resume"], editor);
  expect(exitCode).toBe(0);
  expect(out).toContain('~ version: "7" → 8');
  expect(await promptsOf(cwd)).toEqual(["Ship 8"]);
  const { steps } = JSON.parse((await call(cwd, ["show", "@last", "--json"])).out);
  expect(steps[0]).toMatchObject({ step: "plan", output: '{"version":"7","note":"ok"}' });
  expect(steps[1].data).toMatchObject({ approved: true, edited: { version: 8, note: "ok" } });
});

test("a rejection without a route ends the run as rejected and says by whom and why [STP-8, ENG-11]", async () => {
  const cwd = createProject(FILES);
  const id = await startWaiting(cwd);
  const { exitCode, out } = await call(cwd, ["reject", id, "-m", "not on a Friday", "--resume"]);
  expect(exitCode).toBe(1);
  expect(out).toContain('✖ rejected: rejected by user in step "ask": not on a Friday');
});

test("--approve decides all approvals of a run, and a rejection follows its route [STP-8, CLI-1]", async () => {
  const cwd = createProject(FILES);
  const all = await call(cwd, ["run", "routed.yaml", "--approve", "all", "--quiet"]);
  expect(all).toMatchObject({ exitCode: 0, out: "approved\n" });
  const none = await call(cwd, ["run", "routed.yaml", "--approve", "none", "--quiet"]);
  expect(none).toMatchObject({ exitCode: 0, out: "refused\n" });
});

test("a decision about something else than what is asked now is refused [STP-8, P14]", async () => {
  const cwd = createProject(FILES);
  const id = await startWaiting(cwd);
  const { hash } = await itemOf(cwd);
  const other = await call(cwd, ["approve", id, "--hash", "0123456789abcdef"]);
  expect([other.exitCode, codeOf(other)]).toEqual([2, "RUN_ITEM_CHANGED"]);
  expect((await call(cwd, ["approve", id, "--hash", hash.slice(0, 8)])).exitCode).toBe(0);
});

test("of two people who decide at once one wins, and the other is told who did [STP-8, P14]", async () => {
  const cwd = createProject(FILES);
  const id = await startWaiting(cwd);
  const both = await Promise.all([
    call(cwd, ["approve", id]),
    call(cwd, ["reject", id, "-m", "no"]),
  ]);
  expect(both.map(({ exitCode }) => exitCode).filter((code) => code === 0)).toHaveLength(1);
  const loser = both.find(({ exitCode }) => exitCode !== 0);
  const late = await call(cwd, ["approve", id]);
  expect([late.exitCode, codeOf(late)]).toEqual([2, "ENGINE_ITEM_RESOLVED"]);
  expect(late.err).toMatch(/by user/);
  expect(["ENGINE_ITEM_RESOLVED", "ENGINE_RUN_OWNED"]).toContain(codeOf(loser ?? late));
});

test("what nobody decides in time goes where on_timeout says when the run goes on [STP-8]", async () => {
  const cwd = createProject(FILES);
  const { exitCode, out } = await call(cwd, ["run", "late.yaml", "--quiet"]);
  const end = exitCode === 3 ? await call(cwd, ["resume", "@last", "--quiet"]) : { exitCode, out };
  expect(end).toMatchObject({ exitCode: 0, out: "reminded\n" });
});

test("at a terminal the person is asked in place and decides there [STP-8, CLI-1]", async () => {
  const cwd = createProject(FILES);
  const io = createFakeIo({ cwd, isTerminal: true, env: { NO_COLOR: "1" } });
  const args = ["run", "feature.yaml", "x", ...PLAY, "--progress", "plain"];
  const exitCode = runCli(args, io);
  await io.seen("[a]pprove  [r]eject  [c]omment  [e]dit > ");
  io.type("c");
  await io.seen("what do you want to say?");
  io.type("go");
  expect(await exitCode).toBe(0);
  expect(io.out()).toMatch(/approved by \S+: go/);
});

test("long data is shown line by line and bounded, with the command that shows the rest [STP-8, T12]", async () => {
  const files = Array.from({ length: 100 }, (_, index) => `src/file-${index}\u001b[8m.ts`);
  const cwd = createProject({ ...FILES, "input.json": JSON.stringify({ version: 1, files }) });
  const args = ["run", "ship.yaml", "--input", "input.json", "--backend", "script"];
  const { out } = await call(cwd, args);
  expect(out).toMatch(/to be approved:\n.*ask +version: 1\n.*ask +files:\n/);
  expect(out).toMatch(/and \d\d more lines: troupe inbox apr_/);
  expect(out).not.toContain("\u001b");
  expect(readFileSync(join(cwd, "input.json"), "utf8").length).toBeGreaterThan(1000);
});
