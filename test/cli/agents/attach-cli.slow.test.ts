import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { writeRecipe } from "../../../src/app/workflow/shapes/run-recipe.ts";
import { runCli } from "../../../src/cli/run-cli.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import { foldAll } from "../../../src/fold/fold.ts";
import { toHead } from "../../../src/fold/head.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { claim, RULES } from "../../../src/testing/journal-case.ts";
import { journal, started } from "../../fold/journal-builder.ts";
import { call, createFakeIo, createProject } from "../fake-io.ts";
import { startChat } from "./chat-run.ts";

const RUN = "run_abc123";
const SESSION = "5d2f3c1e-0000-4000-8000-000000000001";

/** A program that writes down how it was started, as Claude Code would be. */
const RECORDER = `#!/bin/sh
[ "$1" = --version ] && echo "2.1.330 (Claude Code)" && exit 0
printf '%s\\n' "$@" > started.txt
env > environment.txt
`;

const ENDED: EventData = {
  ...{ type: "run-ended", outcome: "completed", reason: "done", resumable: false, exitCode: 0 },
  ...{ durationMs: 5, result: null },
};
const SUSPENDED: EventData = {
  ...{ type: "run-suspended", reason: "interrupted", waitingFor: [], exitCode: 130 },
};

interface Made {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

function begun(cwd: string, definitionHash: string): EventData {
  const named = { workflow: "talk", instance: "default", program: "pattern/dag", seed: "seed" };
  return { type: "run-created", ...named, troupe: "0.1.0", cwd, definitionHash, limits: {} };
}

/** A project with a run in which `coder` had a turn on a session of claude, and \`helper\` none. */
async function made(end: EventData, changes: Partial<{ backend: string }> = {}): Promise<Made> {
  const cwd = createProject({ claude: RECORDER });
  chmodSync(join(cwd, "claude"), 0o755);
  mkdirSync(join(cwd, "user/troupe"), { recursive: true });
  const config = `version: 1\nbackends: { claude: { command: ["${cwd}/claude"] } }\n`;
  writeFileSync(join(cwd, "user/troupe/config.yaml"), config);
  const env = { XDG_CONFIG_HOME: join(cwd, "user"), HOME: cwd, ANTHROPIC_API_KEY: "sk-test-key" };
  const { backend = "claude" } = changes;
  const spawned = (agent: string): EventData => {
    return { type: "agent-spawned", agent, backend, spec: { id: agent, backend, cwd } };
  };
  const recipe = writeRecipe({ definition: defineTestWorkflow({ name: "talk", agents: [] }) });
  const at = { agent: "coder", turn: 1 };
  const events = journal([
    begun(cwd, recipe.hash),
    started,
    spawned("coder"),
    spawned("helper"),
    { type: "turn-started", ...at, attempt: 1, session: "coder/main", key: "k", items: [] },
    { type: "agent-ready", agent: "coder", session: "coder/main", resume: SESSION },
    { type: "turn-completed", ...at, text: "ok", stopReason: "end_turn", signals: [] },
    { type: "session-ended", agent: "coder", session: "coder/main", reason: "done" },
    end,
  ]);
  const machine = createMachineAt({ cwd, env: { ...process.env, ...env } });
  const store = machine.store.create(RUN);
  store.takeLease(claim({}), RULES);
  const head = toHead(foldAll(RUN, events), 1);
  await store.append({ epoch: 1, events, head, blobs: { [recipe.hash]: recipe.text } });
  store.releaseLease(1);
  store.close();
  return { cwd, env };
}

type Program = NonNullable<NonNullable<Parameters<typeof createFakeIo>[0]>["program"]>;

/** Really starts what it is told to. */
const spawnIt: Program = ([program = "", ...args], place) =>
  spawnSync(program, args, { ...place, stdio: "ignore" }).status;

async function attach({ cwd, env }: Made, target: string, program: Program = spawnIt) {
  const io = createFakeIo({ cwd, env, isTerminal: true, program });
  const exitCode = await runCli(["attach", target, "--cli"], io);
  return { exitCode, out: io.out(), err: io.err() };
}

test.each([
  ["is over", ENDED],
  ["was interrupted", SUSPENDED],
])(
  "attach --cli opens the agent's own program on its session, in a run that %s [AGT-14, KCK-8, CLI-1]",
  async (_, end) => {
    const project = await made(end);
    expect(await attach(project, "coder")).toEqual({
      exitCode: 0,
      out: "",
      err: [
        `the session of coder (claude, ${RUN}) is yours until its program ends`,
        "coder goes on with this session at its next turn\n",
      ].join("\n"),
    });
    const { cwd } = project;
    const args = readFileSync(join(cwd, "started.txt"), "utf8").trimEnd().split("\n");
    expect(args).toContain(`--resume=${SESSION}`);
    // The isolation of its turns, and nothing that would let it do more.
    expect(args).toContain("--strict-mcp-config");
    expect(args.join(" ")).not.toMatch(/dangerously|bypassPermissions/);
    const environment = readFileSync(join(cwd, "environment.txt"), "utf8");
    expect(environment).toContain(`CLAUDE_CONFIG_DIR=${cwd}/.troupe/runs/${RUN}/agents/coder`);
    expect(environment).not.toMatch(/^TROUPE_CONTEXT/m);
  },
);

test("while a person has a session nobody else can carry the run out or command it, and afterwards both work [AGT-14, ENG-5]", async () => {
  const project = await made(SUSPENDED);
  const { cwd, env } = project;
  const seen: string[] = [];
  const { exitCode } = await attach(project, RUN, async () => {
    for (const args of [
      ["resume", RUN],
      ["send", "coder", "hi"],
      ["cancel", RUN],
    ]) {
      const told = await call(cwd, args, { env });
      seen.push(`${told.exitCode} ${/\[\w+\]/.exec(told.err)?.[0]}`);
    }
    return 0;
  });
  expect(exitCode).toBe(0);
  expect(seen).toEqual(["6 [ENGINE_RUN_OWNED]", "6 [RUN_AGENT_LENT]", "6 [RUN_AGENT_LENT]"]);
  expect(await call(cwd, ["cancel", RUN], { env })).toMatchObject({ exitCode: 0, err: "" });
});

test("a program that cannot be started or fails leaves the run as it was [AGT-14]", async () => {
  const project = await made(SUSPENDED);
  const failing = await attach(project, "coder", () => 3);
  expect(failing.exitCode).toBe(1);
  const missing = await attach(project, "coder", () => {
    throw new Error("spawn ENOENT");
  });
  expect(missing.exitCode).toBe(4);
  expect(missing.err).toContain("error[RUN_AGENT_PROGRAM_FAILED]");
  expect((await attach(project, "coder")).exitCode).toBe(0);
});

test("what cannot be opened is refused with the reason, before anything is started [AGT-14, CLI-1]", async () => {
  const never: Program = () => {
    throw new Error("it must not be started");
  };
  const project = await made(SUSPENDED);
  const cases: readonly (readonly [string, string])[] = [
    ["helper", "error[RUN_AGENT_NOT_ATTACHABLE]"],
    ["nobody", "error[RUN_NOT_FOUND]"],
  ];
  for (const [target, told] of cases) {
    const { exitCode, err } = await attach(project, target, never);
    expect({ exitCode, told: err.includes(told) }).toEqual({ exitCode: 2, told: true });
  }
  const scripted = await attach(await made(SUSPENDED, { backend: "script" }), "coder", never);
  expect(scripted.err).toContain('backend "script" has no program for people');
  const { cwd, env } = project;
  const piped = await call(cwd, ["attach", "coder", "--cli"], { env });
  expect(piped).toMatchObject({ exitCode: 2, err: expect.stringContaining("no terminal") });
  rmSync(join(cwd, "claude"));
  expect((await attach(project, "coder", never)).exitCode).toBe(4);
});

test("the session of an agent whose run somebody carries out is not taken over [AGT-14, CLI-1]", async () => {
  const { cwd } = await startChat([]);
  const { exitCode, err } = await attach({ cwd, env: {} }, "gate");
  expect(exitCode).toBe(6);
  expect(err).toContain("error[RUN_AGENT_BUSY]");
  expect(err).toMatch(/is carried out by pid \d+/);
  expect(err).toMatch(/troupe pause run_\w{6}/);
});

test("an agent opens nobody's session, not even its own [T3]", async () => {
  const { cwd, env } = await made(SUSPENDED);
  const above = { family: "f1", run: RUN };
  const told = await call(cwd, ["attach", "coder", "--cli"], { env, above, isTerminal: true });
  expect(told.err).toContain("error[USAGE_SPEECH_BY_AGENT]");
});
