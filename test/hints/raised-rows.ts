/** Something that a person does, and the code that answers it. */
export interface RaisedRow {
  readonly code: string;
  /** What lies in the project, by path. */
  readonly files: { readonly [path: string]: string };
  readonly args: readonly string[];
  /** What is done before, each as a command line of Troupe or of the shell. */
  readonly before?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Whether the project is a git repository in which all this is not committed. */
  readonly isRepository?: boolean;
}

const AGENT = "agents: [{ id: a, backend: command, command: 'echo x' }]\n";
const DEEP = 200;
const MANY = 60_000;
const LARGE = 20_000_000;
const WORKTREES = `version: "1.0"
name: flow
pattern: dag
agents:
  - { id: a, backend: script, isolation: worktree, script: [{ do: [{ write: { path: a.txt, content: a } }], say: "DONE: ok" }] }
  - { id: b, backend: script, isolation: worktree, script: [{ do: [{ write: { path: b.txt, content: b } }], say: "DONE: ok" }] }
steps: [{ id: s, agent: a }, { id: t, agent: b }]
`;
const WORKED = [
  "git init -q && git add flow.yaml && git commit -qm flow",
  "troupe run flow.yaml go",
];
const JSON_RUN = ["run", "flow.yaml", "go", "--json"];

/** Cases of codes that no other test names. */
export const RAISED_ROWS: readonly RaisedRow[] = [
  {
    code: "WORKFLOW_TOO_DEEP",
    files: { "flow.yaml": `name: flow\nx: ${"[".repeat(DEEP)}${"]".repeat(DEEP)}\n` },
    args: ["validate", "flow.yaml"],
  },
  {
    code: "WORKFLOW_TOO_COMPLEX",
    files: { "flow.yaml": `name: flow\nx:\n${"  - [1, 2]\n".repeat(MANY)}` },
    args: ["validate", "flow.yaml"],
  },
  {
    code: "FILE_INPUT_TOO_LARGE",
    files: { "flow.yaml": `name: flow\npattern: dag\n${AGENT}`, "task.txt": "x".repeat(LARGE) },
    args: ["run", "flow.yaml", "--task-file", "task.txt"],
  },
  {
    code: "WORKFLOW_MODULE_UNLOADABLE",
    files: { "flow.ts": "export default 1 +;\n" },
    args: ["convert", "flow.ts"],
  },
  {
    code: "WORKFLOW_SETUP_FAILED",
    files: {
      "flow.yaml":
        "name: flow\nsetup: [{ shell: 'exit 3' }]\nagents: { a: { backend: command, command: 'echo x' } }\nkickoff: go\n",
    },
    args: ["run", "flow.yaml"],
  },
  {
    code: "STEP_TIME_INVALID",
    files: {
      "flow.yaml":
        "id: flow\nsteps:\n  - { id: s, type: shell, command: 'echo soon', next: w }\n  - { id: w, type: wait, until: '{{context.s.stdout}}' }\n",
    },
    args: ["run", "flow.yaml"],
  },
  {
    code: "ITERATE_TREE_DIRTY",
    files: { "a.txt": "x" },
    args: ["iter", "2", "go", "--commit", "--agent", "command", "--", "true"],
    isRepository: true,
  },
  {
    code: "AGENT_FAILED_THE_RUN",
    files: {
      "flow.yaml":
        "name: flow\npattern: mesh\nagents: [{ id: a, backend: command, command: 'exit 1' }, { id: b, backend: command, command: 'exit 1' }]\nerrorHandling: { onFailure: abort }\n",
    },
    args: JSON_RUN,
  },
  {
    code: "WORKFLOW_BARRIER_TIMEOUT",
    files: {
      "flow.yaml":
        "name: flow\npattern: dag\nagents: [{ id: a, backend: command, command: 'echo x' }]\nsteps: [{ id: s, agent: a }, { id: t, agent: a, dependsOn: [b] }]\ncoordination: { barriers: [{ id: b, waitFor: [s], signal: READY, timeout: 10ms }] }\n",
    },
    args: JSON_RUN,
  },
  {
    code: "AGENT_TYPE_KEY",
    files: {
      "flow.yaml": "id: flow\nsteps: [{ id: s, type: agent, agent: kind, prompt: x }]\n",
      ".troupe/agents/kind.md":
        "---\nname: kind\ndescription: it\nbackend: script\nmood: good\n---\nDo it.\n",
    },
    args: ["run", "flow.yaml", "--trust"],
  },
  {
    code: "WORKFLOW_ID_TWICE",
    files: {
      ".troupe/workflows/a.yaml": "id: same\nsteps: [{ id: s, type: shell, command: ls }]\n",
      ".troupe/workflows/b.yaml": "id: same\nsteps: [{ id: s, type: shell, command: ls }]\n",
      "flow.yaml": "id: flow\nsteps: [{ id: w, type: workflow, workflow: same }]\n",
    },
    args: ["run", "flow.yaml", "--trust"],
  },
  {
    code: "STEP_VARIABLE_TOO_LARGE",
    files: {
      "flow.yaml":
        "id: flow\nsteps:\n  - { id: s, type: shell, command: \"head -c 300000 /dev/zero | tr '\\\\0' x\", next: w }\n  - { id: w, type: shell, command: ls, env: { LONG: '{{context.s.stdout}}' } }\n",
    },
    args: ["run", "flow.yaml"],
  },
  {
    code: "WORKFLOW_BARRIER_UNMET",
    files: {
      "flow.yaml": `name: flow\npattern: dag\n${AGENT}steps: [{ id: s, agent: a, prompt: hi }]\ncoordination: { barriers: [{ id: b, waitFor: [s], signal: READY }] }\n`,
    },
    args: JSON_RUN,
  },
  {
    code: "RUN_MERGE_RUNNING",
    files: {
      "flow.yaml": `version: "1.0"\nname: flow\npattern: dag\nerrorHandling: { onFailure: pause }\nsteps: [{ id: s, command: "false" }]\n`,
    },
    before: ["troupe run flow.yaml"],
    args: ["merge", "@last"],
  },
  {
    code: "RUN_MERGE_FAILED",
    files: { "flow.yaml": WORKTREES },
    before: WORKED,
    args: ["merge", "@last", "--into", "a..b"],
  },
  {
    code: "RUN_MERGE_ELSEWHERE",
    files: { "flow.yaml": WORKTREES },
    before: [...WORKED, "troupe merge @last --verify false", "git switch -qc other"],
    args: ["merge", "@last", "--continue"],
  },
  {
    code: "RUN_MERGE_STATE_BROKEN",
    files: { "flow.yaml": WORKTREES },
    before: [
      ...WORKED,
      "troupe merge @last --verify false",
      "for file in .troupe/runs/run_*/merge.json; do echo mine > $file; done",
    ],
    args: ["merge", "@last", "--continue"],
  },
  {
    code: "RUN_MERGE_SCATTERED",
    files: {
      "flow.yaml": WORKTREES.replace("id: a,", "id: a, cwd: x,").replace(
        "id: b,",
        "id: b, cwd: y,",
      ),
      "x/a.txt": "x",
      "y/a.txt": "y",
    },
    before: [
      "for root in x y; do git -C $root init -q && git -C $root add . && git -C $root commit -qm $root; done",
      "troupe run flow.yaml go",
    ],
    args: ["merge", "@last"],
  },
  {
    code: "AGENT_WORKTREE_IMPOSSIBLE",
    files: { "flow.yaml": WORKTREES.replace("id: a,", "id: a, cwd: x,"), "x/a.txt": "x" },
    before: WORKED.slice(0, 1),
    args: ["run", "flow.yaml", "go"],
  },
  {
    code: "PLUGIN_NOT_TRUSTED",
    files: {
      ".troupe/config.yaml": "plugins: [../own.mjs]\n",
      "own.mjs": "export default { guards: [] };\n",
      "flow.yaml": "id: flow\nsteps: [{ id: s, type: shell, command: ls }]\n",
    },
    before: ["troupe trust --yes", "echo '// changed' >> own.mjs"],
    args: ["run", "flow.yaml"],
  },
  {
    code: "RUN_DIRECTORY_OUTSIDE",
    files: { "sub/.troupe/config.yaml": "{}\n" },
    env: { TROUPE_DIR: "sub/.troupe" },
    args: ["runs"],
  },
  {
    code: "RUN_STATE_UNWRITABLE",
    files: {
      home: "a file",
      "flow.yaml": `name: flow\npattern: team\nteam: { name: x }\n${AGENT}`,
    },
    args: ["run", "flow.yaml", "go"],
  },
  {
    code: "MESSAGE_MIRROR_REFUSED",
    files: {
      "flow.yaml":
        "name: flow\ncontext: {}\nagents: { a: { backend: command, command: 'echo x' } }\nkickoff: '@a go'\n",
    },
    before: ["mkdir -p .troupe/context/flow", "ln -s / .troupe/context/flow/default"],
    args: ["run", "flow.yaml", "--json"],
  },
  {
    code: "HANDOFF_ROUTE_INVALID",
    files: {
      ".troupe/config.yaml": "plugins: [../own.mjs]\n",
      "own.mjs": "export default { routes: [{ name: 'is-invoice' }] };\n",
      "flow.yaml": "id: flow\nsteps: [{ id: s, type: shell, command: ls }]\n",
    },
    args: ["run", "flow.yaml", "--trust"],
  },
  {
    code: "WORKFLOW_UNKNOWN_PATTERN",
    files: {
      ".troupe/config.yaml": "plugins: [../own.mjs]\n",
      "own.mjs":
        "export default { patterns: [{ name: 'own', summary: 'asks', run: (context, { definition }) => context.pattern('other', definition) }] };\n",
      "flow.yaml": `name: flow\npattern: own\n${AGENT}`,
    },
    args: ["run", "flow.yaml", "go", "--json", "--trust"],
  },
  {
    code: "MESSAGE_DOCUMENT_CONFLICT",
    files: {
      ".troupe/config.yaml": "plugins: [../own.mjs]\n",
      "own.mjs": `export default { backends: [{ name: "own", create: ({ session }) => ({
        name: "own", conventions: "none", demandsSignal: false, takesMessages: false, metering: "free", check: async () => [],
        open: async (request) => session(request, async ({ client }) => client.editDocument({ kind: "write", text: "x", ifRevision: 3 })),
      }) }] };\n`,
      "flow.yaml":
        "name: flow\npattern: dag\nagents: [{ id: a, backend: own }]\nsteps: [{ id: s, agent: a }]\n",
    },
    args: ["run", "flow.yaml", "go", "--trust"],
  },
];
