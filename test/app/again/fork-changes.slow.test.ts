import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFork } from "../../../src/app/again/fork/fork-run.ts";
import { createMachineAt, type Machine } from "../../../src/app/machine/machine.ts";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { startRun } from "../../../src/app/run/start-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import { inspectRun } from "../../../src/app/runs/run-lookup.ts";
import { loadFile } from "../../../src/app/workflow/load-file.ts";
import { strideOf } from "../../cases.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";

// What a fork may change: a value that an operation before it has taken in is refused with the first such operation,
// any other is not, however close to it the operation stood.

interface Row {
  readonly kind: string;
  /** The workflow, with a value that is the changed one in the one case and a constant in the other. */
  readonly text: (value: string) => string;
  /** What has taken the value in. */
  readonly taken: RegExp;
  /** Where the fork begins. Defaults to the step `last`. */
  readonly at?: "its end";
}

const PATTERN = { path: "params.color", used: "{{params.color}}" };
const pattern = (one: string, more = "", agent = ""): string => `
name: flow
pattern: dag
params: { color: { type: string, default: red } }
agents:
  - { id: a, backend: script${agent} }
${more}
steps:
  - { id: one, ${one} }
  - { id: last, agent: a, dependsOn: [one], prompt: "paint it {{params.color}}" }
`;

const patternRows: readonly Row[] = [
  { kind: "a turn", text: (value) => pattern(`agent: a, prompt: "go ${value}"`), taken: /^turn / },
  {
    kind: "the command of a check",
    text: (value) => pattern(`agent: a, prompt: go, verify: [{ command: [echo, "${value}"] }]`),
    taken: /^step "verify one"$/,
  },
  {
    kind: "the file of a check",
    text: (value) => pattern(`agent: a, prompt: go, verify: [{ fileExists: "${value}.txt" }]`),
    taken: /^step "verify one"$/,
  },
  {
    kind: "the second of several checks",
    text: (value) =>
      pattern(
        `agent: a, prompt: go, verify: [{ outputMatches: o }, { command: "true" }, { command: [echo, "${value}"] }]`,
      ),
    taken: /^step "verify one"$/,
  },
  {
    kind: "the command of a step",
    text: (value) => pattern(`command: [echo, "${value}"]`),
    taken: /^step "command one"$/,
  },
  {
    kind: "the environment of a step's command",
    text: (value) => pattern(`command: "true", env: { COLOR: "${value}" }`),
    taken: /^step "command one"$/,
  },
  {
    kind: "the check of a step's command",
    text: (value) => pattern(`command: "true", verify: [{ command: [echo, "${value}"] }]`),
    taken: /^step "verify one"$/,
  },
  {
    kind: "a condition",
    text: (value) =>
      pattern(
        `agent: a, prompt: go, verify: [{ command: "true" }], when: '${value === "plain" ? '"red"' : "params.color"} == "red"'`,
      ),
    taken: /^(turn|spawn|step)/,
  },
  {
    kind: "the environment of an agent",
    text: (value) =>
      pattern(
        'agent: a, prompt: go, verify: [{ command: "true" }]',
        "",
        `, env: { COLOR: "${value}" }`,
      ),
    taken: /^spawn /,
  },
];

const STEPS = { path: "input.color", used: "{{input.color}}" };
const steps = (one: string, more = ""): string => `
id: flow
agents: { a: { backend: script } }
steps:
${more}
  - { id: one, ${one}, next: last }
  - { id: last, type: agent, agent: a, prompt: "paint it {{input.color}}" }
`;

const stepRows: readonly Row[] = [
  {
    kind: "a turn",
    text: (value) => steps(`type: agent, agent: a, prompt: "go ${value}"`),
    taken: /^turn /,
  },
  {
    kind: "the command of a check",
    text: (value) =>
      steps(`type: agent, agent: a, prompt: go, verify: [{ command: [echo, "${value}"] }]`),
    taken: /^step "verify one"$/,
  },
  {
    kind: "the command of a step",
    text: (value) => steps(`type: shell, stdin: "", command: [echo, "${value}"]`),
    taken: /^step "shell one"$/,
  },
  {
    kind: "what a command reads",
    text: (value) => steps(`type: shell, stdin: "${value}", command: [cat]`),
    taken: /^step "shell one"$/,
  },
  {
    kind: "a value",
    text: (value) =>
      steps(`type: transform, transform: ${value === "plain" ? "\"'red'\"" : "input.color"}`),
    taken: /^step-started "one"$/,
  },
  {
    kind: "a condition",
    text: (value) =>
      steps(
        `type: shell, stdin: "", command: ["true"], when: '${value === "plain" ? '"red"' : "input.color"} == "red"'`,
      ),
    taken: /./,
  },
  {
    kind: "a list",
    text: (value) =>
      steps(
        `type: parallel, for_each: ${value === "plain" ? '"[1]"' : '"[input.color]"'}, step: { id: each, type: shell, stdin: "", command: [echo, "{{item}}"] }`,
      ),
    taken: /./,
  },
  {
    kind: "the end of a loop",
    text: (value) =>
      steps(
        `type: loop, max_iterations: 2, until: '${value === "plain" ? '"red"' : "input.color"} == "red"', steps: [{ id: each, type: shell, stdin: "", command: ["true"] }]`,
      ),
    taken: /./,
  },
  {
    kind: "the input of a child",
    text: (value) => steps(`type: workflow, file: child.yaml, with: { file: "${value}" }`),
    taken: /^child /,
  },
  {
    kind: "what is to be approved",
    text: (value) => steps(`type: approval, message: "go ${value}?"`),
    taken: /^approval /,
    at: "its end",
  },
];

const KICKOFF = { path: "params.color", used: "${{ params.color }}" };
const kickoff = (setup: string, more = "", agent = "{}") => `
name: flow
params: { color: { type: string, default: red } }
context:
agents: { a: ${agent} }
setup:
  - { shell: 'echo ${setup}', as: first }
  - { shell: 'echo second', as: second }
kickoff: "@a go \${{ first }} ${more}"
`;

const kickoffRows: readonly Row[] = [
  {
    kind: "a command of the setup",
    text: (value) => kickoff(value),
    taken: /^step "setup-1"$/,
    at: "its end",
  },
  {
    kind: "the first message",
    text: (value) => kickoff("x", value),
    taken: /^post /,
    at: "its end",
  },
  {
    kind: "the environment of an agent",
    text: (value) => kickoff("x", "", `{ env: { COLOR: "${value}" } }`),
    taken: /^spawn /,
    at: "its end",
  },
];

const rows = [
  ...patternRows.map((row) => ({ shape: "a pattern", ...PATTERN, ...row })),
  ...stepRows.map((row) => ({ shape: "a step workflow", ...STEPS, ...row })),
  ...kickoffRows.map((row) => ({ shape: "a kickoff", ...KICKOFF, ...row })),
];

describe("a fork changes what no recorded operation has taken in, and nothing else", () => {
  test.each(rows)(
    "$kind of $shape has taken it in [ENG-15]",
    async ({ text, taken, path, used, at }) => {
      const { machine, run } = await played(text(used));
      const fork = createFork(machine, run, forkOf(machine, run, { path, at }));
      const { details } = await fork.then(
        () => expect.fail("it was not refused"),
        (error: { readonly details: { readonly seq: number; readonly recorded: string } }) => error,
      );
      expect(details).toMatchObject({ path, recorded: expect.stringMatching(taken) });
      // Before the operation that is named, nothing has.
      const before = { at: `${details.seq - 1}`, changes: [{ path, text: "blue" }] };
      await expect(createFork(machine, run, before)).resolves.toMatchObject({ from: { run } });
      expect(machine.store.list()).toHaveLength(childrenIn(machine, run) + 2);
    },
  );

  test.each(rows.filter((_, index) => index % strideOf(3) === strideOf(3) - 1))(
    "$kind of $shape has not taken it in [ENG-15]",
    async ({ text, path, at }) => {
      const { machine, run } = await played(text("plain"));
      const fork = await createFork(machine, run, forkOf(machine, run, { path, at }));
      if (at !== undefined) return;
      const resumption = await resumeOnMachine(machine, fork.run, { suspendsWhenWaiting: true });
      if (resumption.status === "resumed") await resumption.run.parted;
      expect(inspectRun(machine, fork.run).phase).toMatchObject({ outcome: "completed" });
      const asked = readEvents(machine, fork.run)
        .slice(fork.from.seq)
        .flatMap((event) =>
          event.type === "operation-scheduled" ? [JSON.stringify(event.input)] : [],
        );
      expect(asked.join("\n")).toContain("paint it blue");
    },
  );
});

/** Plays a workflow as far as it goes without a person. */
async function played(text: string): Promise<{ readonly machine: Machine; readonly run: string }> {
  const root = temporaryDirectory();
  const machine = createMachineAt({ cwd: root, store: "memory" });
  for (const name of ["red", "plain"]) writeFileSync(join(root, `${name}.txt`), "");
  writeFileSync(
    join(root, "child.yaml"),
    'id: child\nsteps:\n  - { id: look, type: shell, stdin: "", command: [echo, "{{input.file}}"] }\n',
  );
  const file = join(root, "flow.yaml");
  writeFileSync(file, text);
  const { definition, problems } = await loadFile(machine, { file, text, backend: "script" });
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  const source = 'version: 1\ndefault: { repeat: last, turns: [{ say: "DONE: ok" }] }\n';
  const run = await startRun(machine, definition, {
    suspendsWhenWaiting: true,
    cassette: { file: "cassette.yaml", source },
    ...(definition.shape === "steps" ? { input: { color: "red" } } : { params: { color: "red" } }),
  });
  await run.parted;
  return { machine, run: run.id };
}

function forkOf(
  machine: Machine,
  run: string,
  { path, at }: { readonly path: string; readonly at: Row["at"] | undefined },
) {
  const events = readEvents(machine, run);
  const last = events.at(-1);
  const end = last?.type === "run-ended" ? events.length - 1 : events.length;
  return { at: at === undefined ? "last" : `${end}`, changes: [{ path, text: "blue" }] };
}

function childrenIn(machine: Machine, run: string): number {
  return inspectRun(machine, run).children.size;
}
