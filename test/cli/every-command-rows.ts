/** What the table test types for a command, beside what it makes up from the command's own description. */
export interface CommandRows {
  /** Operands with which the line is complete, in the project of the table. */
  readonly operands: readonly string[];
  /** Whether its output is worth keeping; that of others is long or differs from machine to machine. */
  readonly isOutputKept?: boolean;
  /** What it is called with in an empty directory; nothing if not given. */
  readonly alone?: readonly string[];
  /** Called so, it may write there. */
  readonly writes?: true;
  /** Lines with a wrong target, value or combination, in the project of the table. */
  readonly wrong: readonly string[];
}

const WRONG_RUNS = ["nope", "run_nope", "run_", "@nobody", "..", "''"];
const WRONG_FILES = ["none.yaml", "broken.yaml", "notes.txt", "workflows", "nope", "''"];
const WRONG_INPUTS = [
  "one.yaml x --task-file none.txt",
  "one.yaml x --task-file notes.txt",
  "one.yaml x --input none.json",
  "one.yaml x --input notes.txt",
  "one.yaml x -i novalue",
  "one.yaml x -i nobody=1",
  "one.yaml x --instance ../up",
  "one.yaml x --backend nope",
  "one.yaml x --cassette none.yaml",
  "one.yaml x --cassette notes.txt",
  "one.yaml --agent script",
  "one.yaml --task-file notes.txt --max-tokens 0",
  "--agent nope x",
  "one.yaml -- npm test",
  "--agent command",
];

const ofRuns = (lines: readonly string[]) => WRONG_RUNS.map((run) => [run, ...lines].join(" "));

/** Every command of the registry has rows here. */
export const rowsOfCommands: { readonly [command: string]: CommandRows } = {
  demo: { operands: ["--fast"], alone: ["--fast"], isOutputKept: false, writes: true, wrong: [] },
  init: {
    operands: ["code-review"],
    isOutputKept: false,
    writes: true,
    wrong: [
      "nope",
      "--count 2",
      "code-review --count 99",
      "code-review --name ../up",
      "--name a/b",
    ],
  },
  run: {
    operands: ["one.yaml", "x"],
    wrong: [
      ...WRONG_FILES,
      ...WRONG_INPUTS,
      "one.yaml x --report workflows",
      "one.yaml x --iter 5x",
      "code-review --iter 2",
    ],
  },
  iter: {
    operands: ["1", "x", "--agent", "script"],
    wrong: [
      "",
      "0 x --agent command -- true",
      "3",
      "3 x y",
      "x --agent command -- true",
      "3 x --agent nope",
      "3 x --agent command",
      "3 x -- true",
      "3 x --agent command --summarizer model -- true",
      "3 x --agent command --summary-model openai/x -- true",
      "3 x --agent command --allow-dirty -- true",
      "3 x --agent command --max-iterations no -- true",
      "3 x --agent command --plan none.md -- true",
    ],
  },
  collab: {
    operands: ["x", "--agent", "command", "--", "true"],
    wrong: [
      "",
      "x y --agent command -- true",
      "x --agent nope",
      "x --agent command",
      "x -- true",
      "x --agent command --agents nope -- true",
      "x --agent command --agents a,,b -- true",
      "x --agent command --turn-timeout soon -- true",
    ],
  },
  team: {
    operands: ["x", "--agent", "script"],
    wrong: [
      "x y",
      "x --agent nope",
      "x --agent command",
      "x -- true",
      "x --agent command --workers 0 -- true",
      "x --agent command --name ../x -- true",
      "x --agent command --agents nope -- true",
    ],
  },
  plan: { operands: ["one.yaml", "x"], wrong: [...WRONG_FILES, "one.yaml x --step nope"] },
  rerun: {
    operands: ["@last", "--failed", "--explain"],
    alone: ["--explain"],
    wrong: [
      ...ofRuns(["--failed"]),
      "@last --failed --only code",
      "@last --from nope",
      "@last --failed --explain --timeout 1m",
    ],
  },
  fork: {
    operands: ["@last", "--at", "nope"],
    wrong: [
      ...ofRuns(["--at 1"]),
      "@last",
      "@last --at nope",
      "@last --at 0",
      "@last --at 99999",
      "@last --at code --set novalue",
      "@last --at code --set color=red",
    ],
  },
  resume: {
    operands: ["one@a"],
    wrong: [
      ...ofRuns([]),
      "@last --explain --timeout 1m",
      "@last --explain --approve all",
      "@last --from x",
      "@last --from 1",
    ],
  },
  pause: { operands: ["@last"], wrong: WRONG_RUNS },
  cancel: { operands: ["@last"], wrong: WRONG_RUNS },
  start: {
    operands: ["one.yaml"],
    wrong: [...WRONG_FILES, "one.yaml", "one.yaml --instance ../up"],
  },
  schedule: {
    operands: ["list"],
    wrong: [
      ...["", "one.yaml", "one.yaml x --every 1d --cron @daily", "one.yaml x --every soon"],
      ...["one.yaml x --every 10s", "one.yaml x --every 1d --time-zone UTC"],
      "one.yaml x --cron 5",
      "one.yaml x --cron @daily --time-zone Europe/Berlyn",
      "one.yaml x --every 1d --name ../up",
      ...["- --every 1d", "one.yaml --every 1d", "one.yaml x --every 1d -i nobody=1"],
      ...WRONG_FILES.map((file) => `${file} --every 1d`),
      ...["list nightly", "show", "show nope", "pause nope", "resume nope", "remove nope"],
      "list --every 1d",
    ],
  },
  stop: { operands: ["nope"], wrong: ["nope", "run_nope", "nope@a", "@nobody", "nope --all", ""] },
  restart: { operands: ["coder@a"], wrong: [...WRONG_RUNS, "@last", "nope@a", "coder"] },
  new: {
    operands: ["helper"],
    wrong: [
      "user",
      "../up",
      "helper --instance ../up",
      "helper --backend nope",
      "helper --tools x",
    ],
  },
  chat: {
    operands: ["command"],
    wrong: ["", "nope", "command", "--resume"],
  },
  rm: { operands: ["nope"], wrong: [...WRONG_RUNS, "one@a"] },
  daemon: {
    operands: [],
    isOutputKept: false,
    wrong: ["nope", "-f", "start -n 5", "logs -f --json", "logs", "logs -n x"],
  },
  list: { operands: [], wrong: [] },
  send: {
    operands: ["coder@a", "hi"],
    wrong: [
      ...WRONG_RUNS.map((target) => `${target} hi`),
      "hi",
      "@coder",
      "coder hi",
      "coder@a ''",
      "coder@a hi --to coder@b",
      "coder@a hi --channel dev",
      "@a hi --channel ../up",
      "coder@a hi --wait",
      "coder@a hi --wait=5",
    ],
  },
  ask: {
    operands: ["coder@a", "hi"],
    wrong: [...WRONG_RUNS.map((target) => `${target} hi`), "@coder", "coder@a hi"],
  },
  peek: { operands: ["@last"], wrong: [...WRONG_RUNS, "@last --to @a", "coder"] },
  attach: { operands: ["@last"], wrong: WRONG_RUNS },
  runs: { operands: [], wrong: ["--status nope", "--workflow nope", "--limit 0"] },
  show: {
    operands: ["@last"],
    wrong: [...WRONG_RUNS, "@last --step nope", "@last --step code --diff"],
  },
  diff: {
    operands: ["@last", "@last"],
    isOutputKept: false,
    wrong: [...ofRuns(["@last"]), "@last", "@last nope", "@last @last --step nope"],
  },
  cost: {
    operands: [],
    wrong: [...WRONG_RUNS, "--by nope", "--since 0", "@last --all-projects"],
  },
  logs: { operands: ["@last"], wrong: [...WRONG_RUNS, "@last --step nope", "@last --agent nope"] },
  trail: {
    operands: ["show", "@last"],
    isOutputKept: false,
    wrong: [
      ...["nope", "show", "show a b", "export", "search", "list all", "list --decisions"],
      ...["list --status nope", "list --limit 0", "export @last --format nope"],
      ...["export @last --json --format md", "export @last -o none/told.md", "search x --dir ''"],
      ...ofRuns(["show"]).map((line) => line.split(" ").toReversed().join(" ")),
    ],
  },
  inbox: { operands: [], wrong: ["nope", "qst_", "qst_nope", "''"] },
  approve: {
    operands: ["nope"],
    wrong: ["qst_", "qst_nope", "--run nope", "--run one@a", "nope --run one@a", "''"],
  },
  reject: {
    operands: ["nope", "-m", "no"],
    wrong: ["qst_", "qst_ -m no", "--run nope -m no", "--run one@a -m no"],
  },
  answer: {
    operands: ["nope", "x"],
    wrong: ["qst_ x", "qst_nope x", "nope", "nope x --file notes.txt", "nope --file none.txt"],
  },
  away: { operands: [], wrong: ["--since 0"] },
  context: {
    operands: ["read"],
    wrong: ["nope", "send hi", "doc", "doc nope", "read --agent ''", "doc list --name x"],
  },
  mcp: { operands: [], wrong: ["--agent x"] },
  advise: { operands: ["fix it"], wrong: ["''", "x --agents 0", "x --agents many"] },
  test: {
    operands: ["one.test.yaml"],
    isOutputKept: false,
    wrong: [
      ...WRONG_FILES,
      "one.test.yaml -t nothing",
      "one.test.yaml --seed 3",
      "one.test.yaml --simulate many",
      "one.test.yaml --simulate 0",
    ],
  },
  validate: { operands: ["one.yaml"], wrong: [...WRONG_FILES, "one.yaml --format json --json"] },
  convert: {
    operands: ["foreign.flow"],
    wrong: [
      ...WRONG_FILES,
      "one.yaml",
      "foreign.flow -o foreign.flow",
      "foreign.flow -o none/new.yaml",
      "foreign.flow -o workflows",
    ],
  },
  graph: {
    operands: ["one.yaml"],
    wrong: [
      ...WRONG_FILES,
      "run_nope",
      "@nobody",
      "one.yaml -o none/graph.svg",
      "one.yaml -o graph.xyz",
      "one.yaml --format svg --json",
    ],
  },
  templates: {
    operands: [],
    isOutputKept: false,
    wrong: ["show", "show nope", "nope", "show code-review --count 99", "--count 2"],
  },
  schema: { operands: [], isOutputKept: false, wrong: ["nope", "workflow --write"] },
  explain: {
    operands: ["STORE_BUSY"],
    isOutputKept: false,
    wrong: ["NO_SUCH_CODE", "nope", "WORKFLOW_CICLE", "steps.nope", "''"],
  },
  report: {
    operands: ["@last"],
    wrong: [...WRONG_RUNS, "@last -o none/report.html", "@last -o workflows"],
  },
  export: {
    operands: ["@last"],
    wrong: [...WRONG_RUNS, "@last -o none/run.jsonl", "@last -o workflows"],
  },
  import: { operands: ["none.gz"], wrong: ["notes.txt", "workflows", "''"] },
  merge: {
    operands: ["@last"],
    wrong: [
      ...WRONG_RUNS,
      "@last",
      "@last --continue",
      "@last --abort --keep",
      "@last --continue --abort",
      "@last --verify-timeout 1m",
      "@last --verify x --verify-timeout soon",
    ],
  },
  gc: {
    operands: ["--dry-run"],
    alone: ["--dry-run"],
    isOutputKept: false,
    wrong: ["nope", "run_", "--force", "run_nope --keep 1", "--keep -1", "@last"],
  },
  config: {
    operands: [],
    isOutputKept: false,
    wrong: ["none.yaml", "broken.yaml", "--backend script", "one.yaml --backend nope"],
  },
  trust: {
    operands: ["--show"],
    isOutputKept: false,
    wrong: ["none", "notes.txt", "--show --list", "--revoke", "--json"],
  },
  doctor: { operands: [], isOutputKept: false, wrong: ["--at-login --bug-report"] },
  completion: { operands: ["bash"], isOutputKept: false, wrong: ["tcsh"] },
};
