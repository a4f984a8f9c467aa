import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createVictim } from "./victim.ts";

const PAYLOADS = [
  "x; touch PWNED",
  "$(touch PWNED)",
  "`touch PWNED`",
  "x' ; touch PWNED; '",
  'x" ; touch PWNED; "',
  "x\ntouch PWNED\n",
  "--output=PWNED",
  "-n\n&& touch PWNED ||",
  "{{task}} ${IFS}touch${IFS}PWNED",
] as const;

const KICKOFF = `name: hooks
context:
params: { word: { type: string, required: true } }
setup:
  - { shell: "printf %s \${{ params.word }}", as: said }
agents:
  echo: { backend: command, command: ["printf", "%s", "DONE"] }
kickoff: "@echo look at \${{ said }}"
`;

const STEPS = `id: steps
agents:
  - { id: echo, backend: command, command: ["cat"] }
steps:
  - { id: bare, type: shell, command: "printf %s {{input.word}}", next: quoted }
  - { id: quoted, type: shell, command: "printf '%s' \\"{{input.word}}\\"", next: list }
  - { id: list, type: shell, command: ["printf", "%s", "{{input.word}}"], next: agent }
  - { id: agent, type: agent, agent: echo, prompt: "{{context.bare.stdout}}", next: checked }
  - id: checked
    type: shell
    command: ["printf", "%s", "{{context.list.stdout}}"]
    verify: [ { command: "test -n {{input.word}}" } ]
`;

test.each(PAYLOADS)("%j is text in every command that it gets into [T6]", async (word) => {
  const victim = createVictim({ "hooks.yaml": KICKOFF, "steps.yaml": STEPS });
  const kickoff = await victim.troupe("run", "hooks.yaml", "-i", `word=${word}`);
  const steps = await victim.troupe("run", "steps.yaml", "-i", `word=${word}`, "--json");
  expect([kickoff.exitCode, steps.exitCode]).toEqual([0, 0]);
  expect(existsSync(join(victim.project, "PWNED"))).toBe(false);
  const outputs = [...steps.out.matchAll(/"stdout":("(?:[^"\\]|\\.)*")/g)].map(([, text = ""]) =>
    JSON.parse(text),
  );
  // Each prints the very text that it was given.
  expect(outputs.filter((text) => text === word).length).toBeGreaterThanOrEqual(4);
});

test("a branch with a name like a command, and a diff that holds one, are text [T6]", async () => {
  const victim = createVictim({
    "look.yaml": `name: look
pattern: pipeline
agents:
  - { id: echo, backend: command, command: [cat] }
steps:
  - id: look
    agent: echo
    prompt: "{{git.branch}} {{git.diff}}"
    verify: [ { command: "printf %s {{git.branch}} > branch.txt" }, { command: "printf %s {{git.diff}} > diff.txt" } ]
`,
    "file.txt": "one\n",
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=v", "-c", "user.email=v@v", ...args], {
      cwd: victim.project,
      env: { ...process.env, ...victim.env },
    });
  git("init", "-q", "-b", "a;touch$IFS'PWNED';b");
  git("add", "file.txt", "look.yaml");
  git("commit", "-qm", "first");
  execFileSync("sh", ["-c", "echo '$(touch PWNED); `touch PWNED`' > file.txt"], {
    cwd: victim.project,
  });
  expect(await victim.troupe("run", "look.yaml")).toMatchObject({ exitCode: 0 });
  expect(readdirSync(victim.project)).not.toContain("PWNED");
  const read = (name: string) => readFileSync(join(victim.project, name), "utf8");
  expect(read("branch.txt")).toBe("a;touch$IFS'PWNED';b");
  expect(read("diff.txt")).toContain("+$(touch PWNED); `touch PWNED`");
});

const FLOWS = [
  "echo {{input.word}} | sh",
  'X={{input.word}}; sh -c "echo $X"',
  "echo $(( {{input.word}} ))",
  "[[ {{input.word}} -eq 1 ]] || true",
  "test -v {{input.word}} || true",
  "read {{input.word}} < /dev/null || true",
  "printf -v {{input.word}} x",
  "sh <<< {{input.word}}",
];

test("a value that would become code of a shell is refused with its place, before anything runs [SEC-10.values, T6]", async () => {
  const files = FLOWS.map((command, at) => [
    `flow-${at}.yaml`,
    `id: flow\nsteps:\n  - { id: one, type: shell, command: ${JSON.stringify(command)} }\n`,
  ]);
  const victim = createVictim(Object.fromEntries(files));
  for (const [at, command] of FLOWS.entries()) {
    const { exitCode, out, err } = await victim.troupe("validate", `flow-${at}.yaml`);
    expect([command, exitCode, out + err]).toEqual([
      command,
      2,
      expect.stringMatching(/WORKFLOW_VALUE_IN_CODE[\s\S]*flow-\d\.yaml:3:/),
    ]);
  }
});
