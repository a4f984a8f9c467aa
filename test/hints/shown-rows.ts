/** What a hint shows that is printed while a run goes on, or of another file, and a file where it stands as the hint says. */
export interface ShownRow {
  readonly hint: string;
  /** The path of the file; `flow.yaml` is a workflow. */
  readonly path: "flow.yaml" | ".troupe/config.yaml" | "cassette.yaml";
  readonly file: string;
}

const WORKFLOW = "flow.yaml";
const AGENT = "agents: [{ id: a, backend: script }]";

function graph(lines: string): string {
  return `name: flow\npattern: dag\n${lines}\n`;
}

function ofAgent(key: string): string {
  return graph(`agents: [{ id: a, backend: claude, ${key} }]\nsteps: [{ id: s, agent: a }]`);
}

function ofStep(key: string): string {
  return graph(
    `${AGENT}\nsteps: [{ id: r, agent: a }, { id: s, agent: a, dependsOn: [r], ${key} }]`,
  );
}

function ofFile(lines: string): string {
  return graph(`${AGENT}\nsteps: [{ id: s, agent: a }]\n${lines}`);
}

/** Hints of files that no mistake in a file leads to. */
export const SHOWN_ROWS: readonly ShownRow[] = [
  {
    hint: "backend: function, module: ./agents.ts#name",
    path: WORKFLOW,
    file: graph(
      "agents: [{ id: a, backend: function, module: ./agents.ts#name }]\nsteps: [{ id: s, agent: a }]",
    ),
  },
  {
    hint: "remove it, or context: false",
    path: WORKFLOW,
    file: "name: flow\npattern: iterate\nagents: [{ id: a, backend: script }]\niterate: { count: 2, summarizer: done }\n",
  },
  {
    hint: "add turns to the cassette, or say `repeat: last` or `repeat: cycle`",
    path: "cassette.yaml",
    file: "version: 1\nagents: { a: [{ say: x }] }\nrepeat: last\n",
  },
  {
    hint: "a cassette has the keys version: 1, agents, default, repeat",
    path: "cassette.yaml",
    file: "version: 1\nagents: { a: [{ say: x }] }\ndefault: [{ say: y }]\nrepeat: cycle\n",
  },
  { hint: "`onCrash: resume` goes on with it", path: WORKFLOW, file: ofAgent("onCrash: resume") },
  {
    hint: "let the agent start anew: `onCrash: restart`",
    path: WORKFLOW,
    file: ofAgent("onCrash: restart"),
  },
  {
    hint: "write `module: ./agents.ts#name` and export",
    path: WORKFLOW,
    file: graph(
      "agents: [{ id: a, backend: function, module: './agents.ts#name' }]\nsteps: [{ id: s, agent: a }]",
    ),
  },
  {
    hint: "give the agent isolation: worktree",
    path: WORKFLOW,
    file: ofAgent("isolation: worktree"),
  },
  {
    hint: "or give the agent isolation: sandbox",
    path: WORKFLOW,
    file: ofAgent("isolation: sandbox"),
  },
  {
    hint: "use isolation: sandbox, and sandbox.network",
    path: WORKFLOW,
    file: ofAgent("isolation: sandbox"),
  },
  {
    hint: "add isolation: worktree to the agents",
    path: WORKFLOW,
    file: ofAgent("isolation: worktree"),
  },
  {
    hint: "give agents of a workflow isolation: worktree",
    path: WORKFLOW,
    file: ofAgent("isolation: worktree"),
  },
  { hint: "use permissionMode: plan", path: WORKFLOW, file: ofAgent("permissionMode: plan") },
  {
    hint: "constraints: { readOnly: [...] }",
    path: WORKFLOW,
    file: ofAgent("constraints: { readOnly: [docs] }"),
  },
  { hint: "or write `expects: none`", path: WORKFLOW, file: ofStep("expects: none") },
  { hint: "(`on_error`, `runs: on-failure`)", path: WORKFLOW, file: ofStep("runs: on-failure") },
  {
    hint: "with `errorHandling.onFailure: continue`",
    path: WORKFLOW,
    file: ofFile("errorHandling: { onFailure: continue }"),
  },
  {
    hint: "budget: { tokens: N } bounds the run",
    path: WORKFLOW,
    file: ofFile("budget: { tokens: 1000 }"),
  },
  { hint: "add backend: claude (or another one)", path: WORKFLOW, file: ofAgent("role: worker") },
  { hint: "for example ${…}.backend: claude", path: WORKFLOW, file: ofAgent("role: worker") },
  {
    hint: "options: { bounds: { turnsPerAgent: N } }",
    path: WORKFLOW,
    file: "name: talk\nagents: { a: { backend: script } }\nkickoff: go\noptions: { bounds: { turnsPerAgent: 3 } }\n",
  },
  {
    hint: "options: { timeout: 30m } bounds the run",
    path: WORKFLOW,
    file: "name: talk\nagents: { a: { backend: script } }\nkickoff: go\noptions: { timeout: 30m }\n",
  },
  {
    hint: "write spawns: true for it",
    path: WORKFLOW,
    file: "name: flow\npattern: collab\nagents: [{ id: a, backend: script, spawns: true }]\n",
  },
  {
    hint: "add input: ${…} to the step",
    path: WORKFLOW,
    file: "id: flow\nsteps:\n  - { id: s, type: shell, command: ls, next: t }\n  - { id: t, type: shell, command: ls, input: s }\n",
  },
  {
    hint: "all runs of a day are bounded in the configuration: budget: { perDay: 50 } in .troupe/config.yaml",
    path: ".troupe/config.yaml",
    file: "budget: { perDay: 50 }\n",
  },
  {
    hint: "write permissions: { allow: [Bash(npm test*)] }",
    path: ".troupe/config.yaml",
    file: 'permissions: { allow: ["Bash(npm test*)"] }\n',
  },
  {
    hint: "workflows.visibleTo.${…} of the configuration names",
    path: ".troupe/config.yaml",
    file: "workflows: { visibleTo: { a: [build] } }\n",
  },
  {
    hint: "add type: acp or type: model",
    path: ".troupe/config.yaml",
    file: "backends:\n  one: { type: acp, command: one }\n  two: { type: model, baseUrl: http://127.0.0.1:1, apiKeyEnv: KEY }\n",
  },
  {
    hint: "write in the configuration: backends: {",
    path: ".troupe/config.yaml",
    file: "backends: { claude: { command: ./node_modules/.bin/claude } }\n",
  },
  {
    hint: "none: .troupe/context is the default",
    path: WORKFLOW,
    file: "name: talk\ncontext: { dir: notes }\nagents: { a: { backend: script }, b: { backend: script } }\nkickoff: '@a go'\n",
  },
];
