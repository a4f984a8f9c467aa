/** A scripted step and a real command, one after the other. */
export const TWO_STEPS = `version: "1.0"
name: two
pattern: dag
agents:
  - { id: planner, backend: claude }
  - { id: check, backend: command, command: ["cat"] }
steps:
  - { id: plan, agent: planner, prompt: "{{task}}" }
  - { id: verify, agent: check, prompt: "look at {{steps.plan.output}}", dependsOn: [plan] }
`;

/** One scripted agent that gets the task. */
export const ONE_STEP = `version: "1.0"
name: one
pattern: dag
agents:
  - { id: coder, backend: script }
steps:
  - { id: code, agent: coder, prompt: "{{task}}" }
`;

/** What the agents of both say. */
export const CASSETTE = `version: 1
agents:
  planner: [{ do: [{ send: { text: "@check look at this" } }], say: "DONE: the plan" }]
  coder: [{ say: "DONE: coded" }]
`;

/** The coder asks for a permission before it is done. */
export const ASKING = `version: 1
agents:
  coder:
    - do:
        - permission: { tool: Bash, input: { command: "git push" } }
        - write: { path: pushed.txt, content: "yes" }
      say: "DONE: pushed"
`;

/** The coder asks which database to use. */
export const QUESTION = `version: 1
agents:
  coder: [{ do: [{ ask: "Which database?" }], say: "DONE: chosen" }]
`;

/** The coder never ends by itself. */
export const HANGING = `version: 1
agents:
  coder: [{ hang: true }]
`;

/** A step that fails and then waits for a person to be tried again. */
export const PAUSING = `version: "1.0"
name: pausing
pattern: dag
agents:
  - { id: check, backend: command, command: ["test", "-e", "ready"] }
steps:
  - { id: check, agent: check }
errorHandling: { onFailure: pause }
`;
