/** Something that a person does, and the code that answers it. */
export interface RaisedRow {
  readonly code: string;
  /** What lies in the project, by path. */
  readonly files: { readonly [path: string]: string };
  readonly args: readonly string[];
  /** Whether the project is a git repository in which all this is not committed. */
  readonly isRepository?: boolean;
}

const AGENT = "agents: [{ id: a, backend: command, command: 'echo x' }]\n";
const DEEP = 200;
const MANY = 60_000;
const LARGE = 20_000_000;
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
];
