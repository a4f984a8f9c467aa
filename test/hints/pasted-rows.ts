/** A file with a mistake, the hint that it gets, and what the hint says, pasted where it says. */
export interface PastedRow {
  /** The hint as it is printed, or its beginning. */
  readonly hint: string;
  readonly file: string;
  /** What stands in the file, and what the reader of the hint makes of it. */
  readonly from: string;
  readonly to: string;
}

const TWO = "agents: [{ id: a, backend: script }, { id: b, backend: script }]\n";
const ONE = "agents: [{ id: a, backend: script }]\n";

function graph(pattern: string, lines: string): string {
  return `name: flow\npattern: ${pattern}\n${lines}\n`;
}

function steps(lines: string): string {
  return `id: flow\n${lines}\n`;
}

/** Every hint of files that shows what is to be written. */
export const PASTED_ROWS: readonly PastedRow[] = [
  {
    hint: "raise cullRate or populationSize, or write maxGenerations: 1",
    file: graph(
      "pool",
      "agents: [{ id: a, backend: script }, { id: j, backend: script }]\npool: { agent: a, judge: j, populationSize: 2, cullRate: 0.1 }",
    ),
    from: "cullRate: 0.1",
    to: "cullRate: 0.1, maxGenerations: 1",
  },
  {
    hint: "write values by name, such as { os: linux, node: 22 }",
    file: graph(
      "dag",
      `steps: [{ id: s, command: "true", matrix: { os: [linux, mac], node: [22], exclude: [linux] } }]`,
    ),
    from: "exclude: [linux]",
    to: "exclude: [{ os: linux, node: 22 }]",
  },
  {
    hint: "use pattern: dag, whose steps start as soon as what they depend on is done",
    file: graph("pipeline", `steps: [{ id: s, command: "true", matrix: { os: [linux] } }]`),
    from: "pattern: pipeline",
    to: "pattern: dag",
  },
  {
    hint: 'add to a step: compensate: { command: "..." }',
    file: graph("saga", `steps: [{ id: s, command: "true" }]`),
    from: 'command: "true" }',
    to: 'command: "true", compensate: { command: "..." } }',
  },
  {
    hint: "remove compensate, or use pattern: saga",
    file: graph("dag", `steps: [{ id: s, command: "true", compensate: { command: "true" } }]`),
    from: "pattern: dag",
    to: "pattern: saga",
  },
  {
    hint: "remove pruner, or use pattern: dag",
    file: graph(
      "pipeline",
      `${TWO}steps: [{ id: s, agent: a }]\npruner: { evaluator: b, beamWidth: 1 }`,
    ),
    from: "pattern: pipeline",
    to: "pattern: dag",
  },
  {
    hint: "for all steps of the run it is options.maxConcurrency",
    file: graph("dag", `steps: [{ id: s, command: "true", maxConcurrency: 2 }]`),
    from: ", maxConcurrency: 2 }]",
    to: " }]\noptions: { maxConcurrency: 2 }",
  },
  {
    hint: "for the whole run it is errorHandling.onFailure: abort",
    file: graph("dag", `steps: [{ id: s, command: "true", failFast: true }]`),
    from: ", failFast: true }]",
    to: " }]\nerrorHandling: { onFailure: abort }",
  },
  {
    hint: "write id: coder; the name is only how it is shown",
    file: graph("fan-out", "agents: [{ name: coder, backend: script }]"),
    from: "name: coder",
    to: "id: coder",
  },
  {
    hint: "write commit: true",
    file: graph("iterate", `${ONE}iterate: { count: 2, allowDirty: true }`),
    from: "count: 2",
    to: "count: 2, commit: true",
  },
  {
    hint: "add a second agent, such as { id: scribe, backend: model, model: anthropic/claude-haiku-4-5 }",
    file: graph("iterate", `${ONE}iterate: { count: 2, summarizer: model }`),
    from: "backend: script }",
    to: "backend: script }, { id: scribe, backend: model, model: anthropic/claude-haiku-4-5 }",
  },
  {
    hint: "remove session: keep",
    file: graph(
      "iterate",
      "agents: [{ id: a, backend: script, session: keep }]\niterate: { count: 2 }",
    ),
    from: ", session: keep",
    to: "",
  },
  {
    hint: "use pattern: hub-spoke for workers that the file names, or leave it out",
    file: graph(
      "collab",
      "agents: [{ id: a, backend: script, role: hub, spawns: true }, { id: b, backend: script }]",
    ),
    from: "pattern: collab",
    to: "pattern: hub-spoke",
  },
  {
    hint: "write weights: { <agent>: 2 }",
    file: graph("consensus", `${TWO}consensus: { type: weighted }`),
    from: "type: weighted",
    to: "type: weighted, weights: { a: 2 }",
  },
  {
    hint: "write type: supermajority, or leave threshold out",
    file: graph("consensus", `${TWO}consensus: { threshold: 0.7 }`),
    from: "threshold",
    to: "type: supermajority, threshold",
  },
  {
    hint: "write reportsTo: a",
    file: graph("hierarchical", TWO),
    from: "id: b,",
    to: "id: b, reportsTo: a,",
  },
  {
    hint: "use pattern: hierarchical for more than one level",
    file: graph(
      "hub-spoke",
      "agents: [{ id: a, backend: script, role: hub }, { id: b, backend: script, reportsTo: a }, { id: c, backend: script, reportsTo: b }]",
    ),
    from: "pattern: hub-spoke",
    to: "pattern: hierarchical",
  },
  {
    hint: "write role: hub for one agent, or hub: { agent: <id> }",
    file: graph("hub-spoke", TWO),
    from: "id: a,",
    to: "id: a, role: hub,",
  },
  {
    hint: "write role: hub for one agent, or hub: { agent: <id> }",
    file: graph("hub-spoke", TWO),
    from: "agents:",
    to: "hub: { agent: a }\nagents:",
  },
  {
    hint: "write debate: { positions: { <agent>: <what it defends> } }",
    file: graph(
      "debate",
      "agents: [{ id: a, backend: script, role: debater }, { id: b, backend: script, role: judge }, { id: c, backend: script }]\ndebate: { judge: b }",
    ),
    from: "judge: b }",
    to: "judge: b, positions: { a: yes, c: no } }",
  },
  {
    hint: "write role: worker, or remove it",
    file: graph(
      "team",
      "agents: [{ id: a, backend: script, role: lead }, { id: b, backend: script, role: reviewer }]",
    ),
    from: "role: reviewer",
    to: "role: worker",
  },
  {
    hint: "write leader under team, or role: worker",
    file: graph(
      "team",
      "agents: [{ id: a, backend: script, role: lead }, { id: b, backend: script, role: lead }]",
    ),
    from: "id: b, backend: script, role: lead",
    to: "id: b, backend: script, role: worker",
  },
  {
    hint: "write workers: auto, or declare agents with the role worker",
    file: graph("team", `${ONE}team: { workers: leader }`),
    from: "workers: leader",
    to: "workers: auto",
  },
  {
    hint: "write until: EXPRESSION, or times: NUMBER",
    file: steps("steps:\n  - { id: l, type: loop, steps: [{ id: s, type: shell, command: ls }] }"),
    from: "type: loop,",
    to: "type: loop, times: 2,",
  },
  {
    hint: "add for_each: context.<step>.<list>, or write a list under `steps`",
    file: steps(
      "steps:\n  - { id: p, type: shell, command: ls, next: l }\n  - { id: l, type: parallel, step: { id: s, type: shell, command: ls } }",
    ),
    from: "type: parallel,",
    to: "type: parallel, for_each: context.p.lines,",
  },
  {
    hint: "write `file: PATH`, or `workflow: ID`",
    file: steps("steps:\n  - { id: w, type: workflow }"),
    from: "type: workflow",
    to: "type: workflow, file: other.yaml",
  },
  {
    hint: "remove it, or write pattern: debate",
    file: steps(
      "agents: { a: { backend: script }, b: { backend: script, role: judge }, c: { backend: script } }\nsteps:\n  - { id: p, type: pattern, pattern: fan-out, agents: [a, b, c], debate: { judge: b }, task: x }",
    ),
    from: "pattern: fan-out",
    to: "pattern: debate",
  },
  {
    hint: "name a model (model: provider/name), or remove maxTurns",
    file: graph(
      "dag",
      "agents: [{ id: a, backend: script, maxTurns: 3 }]\nsteps: [{ id: s, agent: a }]",
    ),
    from: "backend: script",
    to: "model: anthropic/some-model",
  },
  {
    hint: "add isolation: sandbox to the agent",
    file: graph(
      "dag",
      "agents: [{ id: a, backend: claude, constraints: { network: false } }]\nsteps: [{ id: s, agent: a }]",
    ),
    from: "backend: claude",
    to: "backend: claude, isolation: sandbox",
  },
  {
    hint: "write paths below the agent's cwd: src/**, package.json, **/*.test.ts",
    file: graph(
      "dag",
      'agents: [{ id: a, backend: claude, constraints: { fileScope: { include: ["../x"] } } }]\nsteps: [{ id: s, agent: a }]',
    ),
    from: '["../x"]',
    to: '["src/**", package.json, "**/*.test.ts"]',
  },
  {
    hint: "add backend: command, or remove command",
    file: graph(
      "dag",
      "agents: [{ id: a, backend: claude, command: cat }]\nsteps: [{ id: s, agent: a }]",
    ),
    from: "backend: claude",
    to: "backend: command",
  },
  {
    hint: "put {{steps.ID.output}} into the prompt, or use pattern: pipeline",
    file: graph(
      "fan-out",
      `${ONE}steps: [{ id: s, agent: a }, { id: t, agent: a, receivesPreviousOutput: true }]`,
    ),
    from: "pattern: fan-out",
    to: "pattern: pipeline",
  },
  {
    hint: "reorder the steps, or use pattern: dag",
    file: graph(
      "pipeline",
      `${ONE}steps: [{ id: s, agent: a, dependsOn: [t] }, { id: t, agent: a }]`,
    ),
    from: "pattern: pipeline",
    to: "pattern: dag",
  },
  {
    hint: "add agent: one of a, b",
    file: graph("dag", `${TWO}steps: [{ id: s }, { id: t, agent: b }]`),
    from: "id: s",
    to: "id: s, agent: a",
  },
  {
    hint: "add dependsOn: [s]",
    file: graph(
      "dag",
      `${ONE}steps: [{ id: s, agent: a }, { id: t, agent: a, prompt: "{{steps.s.output}}" }]`,
    ),
    from: "id: t,",
    to: "id: t, dependsOn: [s],",
  },
  {
    hint: "remove reflection, or set enabled: false",
    file: graph("iterate", `${ONE}iterate: { count: 2 }\nreflection: { enabled: true }`),
    from: "enabled: true",
    to: "enabled: false",
  },
  {
    hint: "add context: (empty) for a channel and a document",
    file: 'name: talk\nagents:\n  a: { backend: script }\n  b: { backend: script }\nkickoff: "@a go"\n',
    from: "kickoff:",
    to: "context:\nkickoff:",
  },
  {
    hint: "mention who begins: @a",
    file: "name: talk\ncontext:\nagents:\n  a: { backend: script }\n  b: { backend: script }\nkickoff: go\n",
    from: "kickoff: go",
    to: 'kickoff: "@a go"',
  },
  {
    hint: "write a number and a unit: 500ms, 30s, 10m, 2h, 1d",
    file: graph("dag", `${ONE}steps: [{ id: s, agent: a, timeout: soon }]`),
    from: "timeout: soon",
    to: "timeout: 30s",
  },
  {
    hint: "write a number and a unit: 30s",
    file: graph("dag", `${ONE}steps: [{ id: s, agent: a, timeout: 30 }]`),
    from: "timeout: 30",
    to: "timeout: 30s",
  },
  {
    hint: "write it as a list: [s]",
    file: graph("dag", `${ONE}steps: [{ id: s, agent: a }, { id: t, agent: a, dependsOn: s }]`),
    from: "dependsOn: s",
    to: "dependsOn: [s]",
  },
  {
    hint: 'put quotes around it: "7"',
    file: graph("dag", `${ONE}steps: [{ id: s, agent: a, prompt: 7 }]`),
    from: "prompt: 7",
    to: 'prompt: "7"',
  },
  {
    hint: "write it without quotes: 2",
    file: graph("dag", `${ONE}steps: [{ id: s, agent: a, maxRetries: "2" }]`),
    from: 'maxRetries: "2"',
    to: "maxRetries: 2",
  },
  {
    hint: 'write it like: steps.s.status == "completed"',
    file: graph(
      "dag",
      `${ONE}steps: [{ id: s, agent: a }, { id: t, agent: a, dependsOn: [s], when: s = done }]`,
    ),
    from: "when: s = done",
    to: "when: 'steps.s.status == \"completed\"'",
  },
  {
    hint: "write it like: exists(context.s)",
    file: steps(
      "steps:\n  - { id: s, type: shell, command: ls, next: t }\n  - { id: t, type: shell, command: ls, when: s = done }",
    ),
    from: "when: s = done",
    to: "when: 'exists(context.s)'",
  },
];
