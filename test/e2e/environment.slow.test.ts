import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createVictim, type Victim } from "../security/victim.ts";
import { startTroupe } from "./troupe-process.ts";

/** What the caller's shell has set beside what every login has. */
const CALLER = {
  TICKER: "AAPL",
  GH_TOKEN: "ghp-1234567890abcdef",
  MORE: "more-1",
  CI: "true",
  LANGUAGE: "de:en",
  LC_TIME: "de_DE.UTF-8",
  TZ: "Europe/Berlin",
  HTTPS_PROXY: "http://127.0.0.1:9",
  https_proxy: "http://ann:secret1@127.0.0.1:9",
  GITHUB_REPOSITORY: "ann/play",
  GITHUB_TOKEN: "ghs-1234567890abcdef",
  GITHUB_ENV: "/nowhere/env",
  GITHUB_OUTPUT: "/nowhere/output",
  SSH_AUTH_SOCK: "/nowhere/agent.sock",
};
const ALLOWED = ["CI", "GITHUB_REPOSITORY", "HTTPS_PROXY", "LANGUAGE", "LC_TIME", "TZ"];
const NAMES = Object.keys(CALLER).sort().join("|");
/** Writes the names of CALLER that a process has. */
const look = (file: string) =>
  `env | sed -nE 's/^(${NAMES})=.*/\\1/p' | sort -u | tr '\\n' ' ' > ${file}`;

function inShell(victim: Victim, ...args: readonly string[]) {
  return startTroupe(victim.project, args, { ...victim.env, ...CALLER }).ended;
}

function seen(victim: Victim, file: string): readonly string[] {
  return readFileSync(join(victim.project, file), "utf8").trim().split(" ").filter(Boolean);
}

const json = JSON.stringify;

const PATTERN = `name: graph
pattern: dag
agents:
  - { id: plain, backend: command, command: ${json(look("plain.txt"))} }
  - { id: handed, backend: command, passEnv: [GH_TOKEN], env: { MORE: own }, command: ${json(`${look("handed.txt")}; echo $MORE > more.txt`)} }
steps:
  - { id: a, agent: plain, prompt: go, verify: [ { command: ${json(look("check.txt"))} } ] }
  - { id: b, agent: handed, prompt: go, dependsOn: [a], passEnv: [TICKER], verify: [ { command: ${json(look("told.txt"))} } ] }
`;
const STEPS = `id: flow
agents:
  - { id: handed, backend: command, pass_env: [GH_TOKEN], command: ${json(look("handed.txt"))} }
steps:
  - { id: a, type: shell, command: ${json(look("plain.txt"))}, verify: [ { command: ${json(look("check.txt"))} } ], next: b }
  - { id: b, type: shell, pass_env: [TICKER], command: ${json(look("told.txt"))}, next: c }
  - { id: c, type: agent, agent: handed }
`;

const OF_COMMANDS = [...ALLOWED, "SSH_AUTH_SOCK"].sort();

test.each([
  ["graph.yaml", PATTERN, ALLOWED],
  ["flow.yaml", STEPS, OF_COMMANDS],
])(
  "what runs after the start has what is common and no secret, and what agent or step name: %s [USE-9.allowed, USE-9.named]",
  async (file, text, plain) => {
    const victim = createVictim({ [file]: text });
    const run = await inShell(victim, "run", file, "go", "--json=all");
    expect([run.exitCode, run.err]).toEqual([0, expect.any(String)]);
    expect(seen(victim, "plain.txt")).toEqual(plain);
    expect(seen(victim, "check.txt")).toEqual(OF_COMMANDS);
    expect(seen(victim, "told.txt")).toEqual([...OF_COMMANDS, "TICKER"].sort());
    const more = file === "graph.yaml" ? ["MORE"] : [];
    expect(seen(victim, "handed.txt")).toEqual([...ALLOWED, "GH_TOKEN", ...more].sort());
    if (file === "graph.yaml") expect(seen(victim, "more.txt")).toEqual(["own"]);
    // Named, and journaled nowhere.
    const logs = await inShell(victim, "logs", "@last", "--json=all");
    expect(run.out + logs.out).not.toContain(CALLER.GH_TOKEN);
    expect(run.out + logs.out).not.toContain(CALLER.TICKER);
  },
);

test("what a file names is handed to its agents, commands and checks [USE-9.named]", async () => {
  const victim = createVictim({
    "graph.yaml": PATTERN.replace("pattern: dag", "pattern: dag\npassEnv: [TICKER]"),
    "flow.yaml": STEPS.replace("id: flow", "id: flow\npass_env: [TICKER]"),
    "talk.yaml": `name: talk
context:
passEnv: [TICKER]
agents:
  one: { backend: command, passEnv: [GH_TOKEN], env: { OWN: "\${{ env.MORE }}" }, command: ${json(`${look("one.txt")}; echo $OWN > own.txt`)} }
kickoff: "@one go"
`,
  });
  for (const file of ["graph.yaml", "flow.yaml"]) {
    expect((await inShell(victim, "run", file, "go")).exitCode).toBe(0);
    for (const place of ["plain.txt", "check.txt", "told.txt", "handed.txt"])
      expect(seen(victim, place)).toContain("TICKER");
  }
  expect((await inShell(victim, "run", "talk.yaml")).exitCode).toBe(0);
  expect(seen(victim, "one.txt")).toEqual([...ALLOWED, "GH_TOKEN", "TICKER"].sort());
  expect(seen(victim, "own.txt")).toEqual(["more-1"]);
});

test.each([[[]], [["--detach"]]])(
  "setup has the environment of the command that started the run, which no journal holds: run %j [USE-9.setup]",
  async (more) => {
    const victim = createVictim({
      "talk.yaml": `name: talk
context:
agents:
  one: { backend: command, command: ${json(look("one.txt"))} }
setup:
  - { shell: ${json(`${look("setup.txt")}; echo "\${TICKER:-NVDA}"`)}, as: ticker }
kickoff: "@one look at \${{ ticker }}"
`,
    });
    try {
      expect((await inShell(victim, "run", "talk.yaml", ...more)).exitCode).toBe(0);
      const logs = await inShell(victim, "logs", "@last", "--follow", "--json=all");
      expect(seen(victim, "setup.txt")).toEqual(Object.keys(CALLER).sort());
      expect(seen(victim, "one.txt")).toEqual(ALLOWED);
      expect(logs.out).toContain("AAPL");
      expect(logs.out).not.toContain(CALLER.GH_TOKEN);
      expect(logs.out).not.toContain(CALLER.SSH_AUTH_SOCK);
    } finally {
      await inShell(victim, "daemon", "stop");
    }
  },
);

test("a variable that a command would find empty is told where the file is checked, and one that is handed on and not set [USE-9.withheld]", async () => {
  const victim = createVictim({
    "graph.yaml": `name: graph
pattern: dag
agents: [ { id: one, backend: command, command: "echo $TICKER $PWD \${GH_TOKEN:-}", passEnv: [GH_TOKEN, NOT_SET_HERE] } ]
steps: [ { id: a, agent: one, prompt: go } ]
`,
    "bad.yaml":
      "id: bad\npass_env: [TROUPE_HOME]\nsteps: [ { id: a, type: shell, command: ls } ]\n",
  });
  const { exitCode, out, err } = await inShell(victim, "validate", "graph.yaml");
  expect(exitCode).toBe(0);
  const told = out + err;
  expect(told).toMatch(/WORKFLOW_VARIABLE_WITHHELD\]: .*\$TICKER[\s\S]*passEnv: \[TICKER\]/);
  expect(told).toMatch(/WORKFLOW_VARIABLE_NOT_SET\]: .*NOT_SET_HERE/);
  expect(told).not.toMatch(/\$PWD,|\$GH_TOKEN,/);
  const bad = await inShell(victim, "validate", "bad.yaml");
  expect(bad.exitCode).not.toBe(0);
  expect(bad.out + bad.err).toMatch(/bad\.yaml:2:/);
});
