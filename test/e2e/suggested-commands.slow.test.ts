import { expect, test } from "vitest";
import { loadCommands } from "../../src/cli/registry.ts";
import { createVictim } from "../security/victim.ts";
import { startTroupe } from "./troupe-process.ts";

const commands = await loadCommands();

const NAMES = commands.map(({ name }) => name).join("|");
const BARE = new RegExp(`(?<![\\w@./-])troupe (?:${NAMES})\\b`);

const FILES = {
  "bad.yaml": "name: bad\npattern: dag\nagents: [ { id: one, backend: nobody } ]\n",
  "fails.yaml": `name: fails
pattern: dag
agents: [ { id: one, backend: command, command: "exit 3" } ]
steps: [ { id: a, agent: one, prompt: go } ]
`,
  "asks.yaml": 'id: asks\nsteps: [ { id: ok, type: approval, message: "ok?" } ]\n',
};

/** In this order: runs that failed and that wait are there for what comes after. */
const CALLS: readonly (readonly string[])[] = [
  ["run", "fails.yaml", "go"],
  ["run", "asks.yaml"],
  ["run", "bad.yaml"],
  ...["runs", "inbox", "list", "away", "doctor", "cost", "approve", "gc", "trust", "merge"].map(
    (name) => [name],
  ),
  ...["show", "logs", "report", "export", "resume", "rerun", "fork", "merge", "rm"].map((name) => [
    name,
    "@last",
  ]),
  ...["show", "resume", "approve", "answer", "send", "attach", "stop", "import", "plan"].map(
    (name) => [name, "nobody"],
  ),
  ["show", "fails"],
  ["logs", "fails"],
  ["resume", "nobody", "--json"],
  ["run", "none.yaml", "--json"],
  ["explain", "RUN_FOREIGN"],
  ["explain", "RUN_HAS_PARENT"],
  ["daemon", "status"],
  [],
  ["--help"],
  ...commands.map(({ name }) => [name, "--help"]),
];

test("every command that Troupe suggests begins as it was called [ECO-5.hints]", async () => {
  const { project, env } = createVictim(FILES);
  const called = { ...env, TROUPE_CALLED_AS: "npx troupe-of-hers" };
  let suggested = 0;
  const bare: string[] = [];
  for (const args of CALLS) {
    const { out, err } = await startTroupe(project, args, called).ended;
    for (const line of `${out}\n${err}`.split("\n")) {
      if (line.includes("npx troupe-of-hers")) suggested += 1;
      if (BARE.test(line)) bare.push(`${args.join(" ")}: ${line}`);
    }
  }
  expect(bare).toEqual([]);
  expect(suggested).toBeGreaterThan(60);
});
