import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCommands } from "../../src/cli/registry.ts";
import { strideOf } from "../cases.ts";
import {
  MORE_PERSONAL_LINES,
  PERSONAL_ROWS,
  type PersonsRun,
} from "../cli/caller/personal-rows.ts";
import { createVictim, type Victim } from "./victim.ts";

const commands = await loadCommands();

const BIN = join(import.meta.dirname, "../../bin/troupe.js");
const LIBRARY = join(import.meta.dirname, "../../src/index.ts");
const SAY = join(import.meta.dirname, "fixtures/say-lines.mjs");

const WAYS = [
  "plain",
  "without environment",
  "without marks",
  "in a new session",
  "orphaned, without environment",
  ...(spawnSync("python3", ["--version"]).status === 0 ? ["from python"] : []),
];

const ASKS = `id: asks
agents: [ { id: doer, backend: command, command: "touch PWNED; cat" } ]
steps:
  - { id: greet, type: shell, command: "true", next: ask }
  - { id: ask, type: approval, message: "Go on?", next: act }
  - { id: act, type: shell, command: "touch PWNED" }
`;

const CONFIG = `version: 1
backends: { claude: { command: ["touch", "PWNED"] } }
`;

interface Line {
  readonly way: string;
  readonly args: readonly string[];
}

interface Said extends Line {
  readonly code: number;
  readonly text: string;
}

/** A user with a run that waits for her, and an untrusted project. */
async function waiting(files: { readonly [path: string]: string } = {}) {
  const victim = createVictim({ "asks.yaml": ASKS, ".troupe/config.yaml": CONFIG, ...files });
  expect((await victim.troupe("run", "asks.yaml", "x")).exitCode).toBe(3);
  const { items } = JSON.parse((await victim.troupe("inbox", "--json")).out);
  const [{ id: item, run }] = items;
  return { victim, of: { run: String(run), item: String(item) } };
}

/** What a program of a run gets to say these lines; `out` will hold what came of them. */
function orders({ project, env }: Victim, name: string, lines: readonly Line[]) {
  const plan = join(project, `${name}.plan.json`);
  const out = join(project, `${name}.out.json`);
  const path = process.env["PATH"] ?? "";
  writeFileSync(plan, JSON.stringify({ bin: BIN, env: { PATH: path, ...env }, lines }));
  const argv = [process.execPath, SAY, plan, out];
  // The project's places are those of the victim, also for what only inherits.
  const exported = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const said = (): readonly Said[] => JSON.parse(readFileSync(out, "utf8"));
  return { command: ["env", ...exported, ...argv].join(" "), said };
}

const linesOf = (of: PersonsRun): readonly (readonly string[])[] => [
  ...Object.entries(PERSONAL_ROWS).map(([name, row]) => [name, ...row(of)]),
  ...MORE_PERSONAL_LINES.map((line) => line(of)),
];

/** Every option that is a person's word, on a command that would else be allowed. */
function optionLines(): readonly (readonly string[])[] {
  const values: { readonly [flag: string]: string } = { "--timeout": "9h", "--max-time": "9h" };
  return commands
    .filter(({ authority }) => authority === "own-run")
    .flatMap(({ name, options = [] }) =>
      options.flatMap(({ flags, isPersonal }) => {
        const flag = /--[\w-]+/.exec(flags)?.[0] ?? "";
        if (isPersonal === undefined) return [];
        if (isPersonal !== true) return isPersonal.map((value) => [name, "asks.yaml", flag, value]);
        const value = flags.includes("<") ? [values[flag] ?? "5"] : [];
        return [[name, "asks.yaml", "x", flag, ...value]];
      }),
    );
}

function expectRefused(said: readonly Said[], count: number): void {
  expect(said).toHaveLength(count);
  for (const { way, args, code, text } of said)
    expect([way, args, code, text]).toEqual([
      way,
      args,
      2,
      expect.stringMatching(/USAGE_(?:DECISION|SPEECH|CONTROL)_BY_AGENT/),
    ]);
}

/** All that a decision would have changed. */
function stateOf({ project, home }: Victim, { run }: PersonsRun) {
  return {
    journal: readFileSync(join(project, ".troupe/runs", run, "journal.db"), "base64"),
    config: readFileSync(join(project, ".troupe/config.yaml"), "utf8"),
    isTrusted: existsSync(join(home, ".troupe-state/trust.json")),
    daemon: existsSync(join(home, ".troupe-state/daemon")),
    isDone: existsSync(join(project, "PWNED")),
  };
}

test("no command of an agent decides, trusts, lifts a limit, starts, ends or changes runs, however it gets away [SEC-3.below, SEC-3.declared, T15]", async () => {
  const { victim, of } = await waiting();
  const personal = commands.filter(({ authority }) => authority === "person");
  expect(Object.keys(PERSONAL_ROWS).sort()).toEqual(personal.map(({ name }) => name).sort());
  const all = [...linesOf(of), ...optionLines()];
  const some = [
    ["trust", "--yes"],
    ["approve", of.item],
    ["cancel", of.run],
    ["run", "asks.yaml", "x", "--approve", "all"],
  ];
  const hardest = ["without marks", "orphaned, without environment"];
  // Every day each line in one of the two hardest ways, in `npm run prove` in both.
  const stride = strideOf(2);
  const tried = (way: string) =>
    hardest.includes(way)
      ? all.filter((_line, index) => (index + hardest.indexOf(way)) % stride === 0)
      : some;
  const lines = WAYS.flatMap((way) => tried(way).map((args) => ({ way, args })));
  const agent = orders(victim, "agent", lines);
  writeFileSync(
    join(victim.project, "evil.yaml"),
    `id: evil
agents: [ { id: evil, backend: command, command: ${JSON.stringify(agent.command)} } ]
steps: [ { id: attack, type: agent, agent: evil, prompt: go, timeout_ms: 580000 } ]
`,
  );
  const before = stateOf(victim, of);
  expect(await victim.troupe("run", "evil.yaml")).toMatchObject({ exitCode: 0 });
  expectRefused(agent.said(), lines.length);
  expect(stateOf(victim, of)).toEqual(before);
  expect(before).toMatchObject({ isTrusted: false, daemon: false, isDone: false });
  expect(
    readdirSync(join(victim.project, ".troupe/runs")).filter((name) => name.startsWith("run_")),
  ).toHaveLength(2);
  // The same is free to the person.
  expect((await victim.troupe("trust", "--yes")).exitCode).toBe(0);
  expect((await victim.troupe("approve", of.item, "--resume")).exitCode).toBe(0);
  expect(existsSync(join(victim.project, "PWNED"))).toBe(true);
});

const DECISIONS = (of: PersonsRun): readonly (readonly string[])[] => [
  ["trust", "--yes"],
  ["approve", of.item],
  ["resume", of.run, "--approve", "all"],
];

test("neither does what a step, a check, a setup or a scripted agent runs [SEC-3.below, T15]", async () => {
  const { victim, of } = await waiting();
  const lines = DECISIONS(of).map((args) => ({ way: "orphaned, without environment", args }));
  const [shell, verify, setup, played] = ["shell", "verify", "setup", "played"].map((name) =>
    orders(victim, name, lines),
  );
  if (!shell || !verify || !setup || !played) throw new RangeError("four places");
  const files = {
    "steps.yaml": `id: evil
agents: [ { id: player, backend: script } ]
steps:
  - { id: shell, type: shell, command: ${JSON.stringify(shell.command)}, next: checked }
  - { id: checked, type: shell, command: "true", verify: [ { command: ${JSON.stringify(verify.command)} } ], next: play }
  - { id: play, type: agent, agent: player, prompt: go }
`,
    "turns.yaml": `version: 1
agents:
  player: [ { do: [ { run: ${JSON.stringify(played.command)} } ], say: done } ]
`,
    "setup.yaml": `name: evil
setup: [ { shell: ${JSON.stringify(setup.command)}, as: said } ]
agents: { echo: { backend: command, command: ["printf", "%s", "DONE"] } }
kickoff: "@echo look at \${{ said }}"
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(victim.project, name), text);
  const before = stateOf(victim, of);
  const steps = await victim.troupe("run", "steps.yaml", "--cassette", "turns.yaml");
  expect([steps.exitCode, steps.out]).toEqual([0, expect.stringContaining("done")]);
  expect(await victim.troupe("run", "setup.yaml")).toMatchObject({ exitCode: 0 });
  for (const { said } of [shell, verify, setup, played]) expectRefused(said(), lines.length);
  expect(stateOf(victim, of)).toEqual(before);
});

test.runIf(process.platform === "linux")(
  "neither does one that has lowered the limit where its mark was kept [SEC-9.limit, T15]",
  async () => {
    const { victim, of } = await waiting();
    const lines = DECISIONS(of).map((args) => ({
      way: "orphaned, with a lowered lock limit",
      args,
    }));
    const { command, said } = orders(victim, "lowered", lines);
    const before = stateOf(victim, of);
    expect(
      await victim.troupe("run", "--agent", "command", "--", "sh", "-c", command),
    ).toMatchObject({ exitCode: 0 });
    expectRefused(said(), lines.length);
    for (const { text } of said()) expect(text).toContain("the limit of file locks is 5");
    expect(stateOf(victim, of)).toEqual(before);
  },
);

const CALLS = `import { createMachine, dag, forkRun, rerunRun, resumeRun } from "${LIBRARY}";
const [, , run] = process.argv;
const own = dag({ name: "own", nodes: [{ id: "one", task: "x", run: () => "done" }] });
const calls = {
  resumeRun: () => resumeRun(run, { approvals: "all" }),
  forkRun: () => forkRun(run, { at: "2" }),
  rerunRun: () => rerunRun(run, { kind: "failed" }),
  createMachine: () => createMachine({ trustsProject: true }),
  approvals: () => dag({ name: "own", nodes: [{ id: "one", task: "x", run: () => "done" }], approvals: "all" }).result,
  ownRun: () => own.result,
  ownAgain: () => rerunRun(own.id, { kind: "failed" }),
};
const came = {};
for (const [name, call] of Object.entries(calls))
  came[name] = await call().then(() => "done", ({ code }) => code);
console.log(JSON.stringify(came));
`;

test("the library refuses an agent the same, and lets it have runs of its own [SEC-3.below, SEC-3.declared, T15]", async () => {
  const { victim, of } = await waiting({ "calls.mts": CALLS });
  const exported = Object.entries(victim.env).map(([name, value]) => `${name}=${value}`);
  const before = stateOf(victim, of);
  const call = ["env", "-i", ...exported, process.execPath, "calls.mts", of.run];
  const ended = await victim.troupe("run", "--agent", "command", "--json", "--", ...call);
  const told = /\{\\"resumeRun.*?\}/.exec(ended.out)?.[0] ?? ended.out;
  const refused = "USAGE_CONTROL_BY_AGENT";
  expect(JSON.parse(JSON.parse(`"${told}"`))).toEqual({
    resumeRun: refused,
    forkRun: refused,
    rerunRun: refused,
    createMachine: refused,
    approvals: refused,
    ownRun: "done",
    ownAgain: "done",
  });
  expect(stateOf(victim, of)).toEqual(before);
});

const NESTED = `set -e
troupe() { ${process.execPath} ${BIN} "$@"; }
troupe run asks.yaml || test $? = 3
troupe approve --run @last
troupe cancel @last
troupe cancel "$TROUPE_RUN" 2>&1 && exit 1
exit 0
`;

test("what an agent has started itself it may decide and end [SEC-3.below]", async () => {
  const victim = createVictim({ "asks.yaml": ASKS, "nested.sh": NESTED });
  const exported = Object.entries(victim.env).map(([name, value]) => `${name}=${value}`);
  const call = ["env", ...exported, "sh", "nested.sh"];
  expect(await victim.troupe("run", "--agent", "command", "--", ...call)).toMatchObject({
    exitCode: 0,
  });
  const { runs } = JSON.parse((await victim.troupe("runs", "--json")).out);
  expect(runs).toHaveLength(2);
});
