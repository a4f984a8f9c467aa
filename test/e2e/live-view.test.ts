import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { has } from "../machine.ts";
import { createUser } from "./daemon-user.ts";
import { openTerminal } from "./live-view-terminal.ts";
import { createProject } from "./troupe-process.ts";
import { GATED } from "./workflows.ts";

beforeEach((context) => context.skip(!has("tmux"), "without tmux"));

/** A plan, a step that asks for a permission and one that asks a question, and a step after both. */
const REVIEW = `version: "1.0"
name: review
pattern: dag
agents:
  - { id: planner, backend: script }
  - { id: coder, backend: script }
  - { id: asker, backend: script }
steps:
  - { id: plan, agent: planner }
  - { id: code, agent: coder, dependsOn: [plan] }
  - { id: ask, agent: asker, dependsOn: [plan] }
  - { id: report, agent: planner, dependsOn: [code, ask] }
`;

const HOSTILE = String.raw`\e[2J\e[H\e]2;owned\a\e]52;c;aGk=\a`;
const TURNS = `version: 1
agents:
  planner/plan:
    - do: [{ send: { text: "${HOSTILE}the plan 数据库" } }]
      say: "DONE: ${HOSTILE}planned"
  coder:
    - do:
        - chunk: "${HOSTILE}about to push 👩‍👩‍👧"
        - permission: { tool: Bash, input: { command: "git push origin fix-auth" } }
        - write: { path: pushed.txt, content: "yes" }
      say: "DONE: pushed"
  asker:
    - do: [{ ask: "Which database?" }]
      say: "DONE: chosen"
`;

function createReview(): string {
  return createProject({ "review.yaml": REVIEW, "turns.yaml": TURNS });
}

const RUN = ["run", "review.yaml", "do it", "--cassette", "turns.yaml"];

// Longer than a row that was selected by itself waits before it takes a decision.
const armed = () => new Promise((resolve) => setTimeout(resolve, 700));

test("at 120x30 a person answers and approves, and agents do not drive the terminal [CLI-1, T12]", async () => {
  const cwd = createReview();
  const terminal = await openTerminal({ cwd, columns: 120, rows: 30 });
  terminal.troupe(...RUN);
  await terminal.seen(/▸ ▲ /);
  expect(await terminal.seen(/^review @default/)).toMatch(/ 1\/4 steps {3}▲ 2 need you/);
  expect(terminal.ask("#{pane_title}|#{cursor_flag}")).toBe("▲2 review 1/4|0");
  while (!/code +permission/.test(await terminal.seen(/▸/))) {
    terminal.press("Down");
    await armed();
  }
  terminal.press("a");
  await terminal.seen(/✔ prm_\w+ allowed by user/);
  await terminal.seen(/▸ ▲ ask +question/);
  await armed();
  terminal.press("Enter");
  await terminal.seen(/your answer to qst_/);
  terminal.paste("SQLite\napr");
  await terminal.seen(/│ apr▏/);
  terminal.press("Enter");
  await terminal.seen(/^exit=0$/);
  expect(readFileSync(join(cwd, "pushed.txt"), "utf8")).toBe("yes");
  const history = terminal.history();
  expect(history[0]).toMatch(/^ready> .* run review/);
  expect(history.filter((line) => /ctrl-c|─────|▸/.test(line))).toEqual([]);
  expect(history).toContainEqual(expect.stringMatching(/planner +→ the plan 数据库$/));
  expect(history).toContainEqual(expect.stringMatching(/^✔ done in /));
  expect(terminal.ask("#{pane_title}|#{cursor_flag}")).not.toMatch(/owned|review|0$/);
});

test("at 80x24 a person looks, writes to an agent, and rejects with a reason [CLI-1]", async () => {
  const cwd = createReview();
  const terminal = await openTerminal({ cwd, columns: 80, rows: 24 });
  terminal.troupe(...RUN);
  await terminal.seen(/▲ 2 need you/);
  await armed();
  while (!/code +permission/.test(await terminal.seen(/▸/))) {
    terminal.press("Down");
    await armed();
  }
  terminal.press("Enter");
  await terminal.seen(/│ elsewhere/);
  expect(await terminal.seen(/about to push/)).toContain("│");
  terminal.press("Enter");
  await terminal.gone(/│ elsewhere/);
  terminal.type("m");
  await terminal.seen(/message to @coder/);
  terminal.type("be careful");
  terminal.press("Enter");
  await terminal.seen(/sent to @coder/);
  terminal.type("r");
  await terminal.seen(/why do you reject prm_/);
  terminal.type("not on a Friday");
  terminal.press("Enter");
  await terminal.seen(/denied by user: not on a Friday/);
  await terminal.seen(/▸ ▲ ask/);
  await armed();
  terminal.press("Enter");
  await terminal.seen(/your answer to/);
  terminal.type("SQLite");
  terminal.press("Enter");
  await terminal.seen(/^exit=0$/);
  expect(terminal.history()).toContainEqual(expect.stringMatching(/→ @coder: be careful$/));
});

test("at 40x20, made wider and narrower while it runs, no ghost of a picture stays [CLI-1]", async () => {
  const cwd = createReview();
  const terminal = await openTerminal({ cwd, columns: 40, rows: 20 });
  terminal.troupe(...RUN);
  await terminal.seen(/^review .*▲2/);
  for (const [columns, rows] of [
    [120, 30],
    [60, 30],
    [100, 20],
    [80, 24],
    [41, 24],
    [120, 30],
  ] as const) {
    terminal.resize(columns, rows);
    await terminal.seen(new RegExp(`^─{${columns - 1}}$`));
  }
  const history = terminal.history();
  expect(history.filter((line) => /^─+$/.test(line))).toHaveLength(1);
  expect(history.filter((line) => /^review/.test(line))).toHaveLength(1);
  expect(history.filter((line) => /plan +✔ completed/.test(line))).toHaveLength(1);
  terminal.press("C-c");
  await terminal.seen(/^exit=130$/);
  expect(terminal.history().filter((line) => /^─+$/.test(line))).toEqual([]);
});

test("ctrl-c saves the run and gives the terminal back; resume goes on with it [CLI-1, ENG-18]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const terminal = await openTerminal({ cwd, columns: 80, rows: 24 });
  terminal.troupe("run", "gated.yaml");
  await terminal.seen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] gate/);
  terminal.press("C-c");
  await terminal.seen(/^exit=130$/);
  const history = terminal.history();
  expect(history).toContainEqual(
    expect.stringMatching(/^stopping… again to kill; resume with: troupe resume run_/),
  );
  expect(history).toContainEqual(
    expect.stringMatching(/^⏸ suspended, state is saved: troupe resume run_/),
  );
  terminal.type("stty -a | grep -o ' -\\?echo\\b\\| -\\?icanon' | tr '\\n' ' '");
  terminal.press("Enter");
  await terminal.seen(/^ icanon {2}echo ready>$/);
  terminal.troupe("resume", "@last");
  await terminal.seen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] gate/);
  writeFileSync(join(cwd, "go"), "");
  await terminal.seen(/^exit=0$/);
  expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("ran\n");
});

test("ctrl-z gives the terminal to the shell, fg takes it back, and a kill leaves it in order [CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const terminal = await openTerminal({ cwd, columns: 80, rows: 24 });
  terminal.troupe("run", "gated.yaml");
  await terminal.seen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] gate/);
  terminal.press("C-z");
  await terminal.gone(/ctrl-c stop/);
  await terminal.seen(/^ready>$/);
  expect(terminal.ask("#{cursor_flag}")).toBe("1");
  terminal.type("fg");
  terminal.press("Enter");
  await terminal.seen(/ctrl-c stop/);
  expect(terminal.screen().filter((line) => /^gated(?!\.yaml)/.test(line))).toHaveLength(1);
  terminal.press("C-c", "C-c");
  // When the run is let go of between the two, the shell shows the second.
  await terminal.seen(/^(\^C)?ready>$/);
  expect(terminal.ask("#{cursor_flag}")).toBe("1");
  expect(terminal.screen().filter((line) => /ctrl-c stop/.test(line))).toEqual([]);
});

const LONG = `version: "1.0"
name: long
pattern: dag
agents:
  - { id: worker, backend: script }
steps:
  - { id: first, agent: worker }
${Array.from({ length: 60 }, (_, index) => `  - { id: then-${index}, agent: worker, dependsOn: [first] }`).join("\n")}
`;

test("far rows are reached by page keys, end and a search [USE-6.keys]", async () => {
  const cwd = createProject({
    "long.yaml": LONG,
    "turns.yaml": "version: 1\nagents:\n  worker: [{ hang: true }]\n",
  });
  const terminal = await openTerminal({ cwd, columns: 80, rows: 24 });
  terminal.troupe("run", "long.yaml", "x", "--cassette", "turns.yaml");
  await terminal.seen(/more: \d+ to come/);
  terminal.press("End");
  await terminal.seen(/▸ · then-59 /);
  terminal.press("PPage");
  await terminal.seen(/▸ · then-49 /);
  terminal.press("Home");
  await terminal.seen(/▸ \S first /);
  terminal.press("NPage");
  await terminal.seen(/▸ · then-9 /);
  terminal.type("/");
  await terminal.seen(/^ \/▏/);
  terminal.type("then-33");
  await terminal.seen(/^ \/then-33/);
  terminal.press("Enter");
  await terminal.seen(/▸ · then-33 /);
  terminal.press("C-c");
  await terminal.seen(/exit=/);
});

test("d lets a run go on in the background, where it ends; the terminal is free [USE-10.detach]", async () => {
  const { cwd, env, type } = createUser();
  writeFileSync(join(cwd, "gated.yaml"), GATED);
  const terminal = await openTerminal({ cwd, columns: 100, rows: 24, env });
  terminal.troupe("run", "gated.yaml");
  await terminal.seen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] gate/);
  await terminal.seen(/d detach/);
  terminal.press("d");
  await terminal.seen(/^run_\w{6} \(gated@default\) goes on in the background$/);
  await terminal.seen(/^exit=0$/);
  terminal.troupe("attach", "@last");
  await terminal.seen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] gate/);
  writeFileSync(join(cwd, "go"), "");
  await terminal.seen(/✔ done in/);
  expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("ran\n");
  const { out } = await type("runs", "--json");
  expect(JSON.parse(out).runs).toMatchObject([{ state: "completed" }]);
});

test("a run whose recording needs the terminal says so when it is to be detached [USE-10.detach]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const terminal = await openTerminal({ cwd, columns: 100, rows: 24 });
  terminal.troupe("run", "gated.yaml", "--record", "taken.yaml");
  await terminal.seen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] gate/);
  terminal.press("d");
  await terminal.seen(/--record needs this terminal until the run is over/);
  writeFileSync(join(cwd, "go"), "");
  await terminal.seen(/^exit=0$/);
});
