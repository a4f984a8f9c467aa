/** A first step that counts how often it ran, and a second one that waits for the file `go`. */
export const GATED = `version: "1.0"
name: gated
pattern: dag
agents:
  - { id: counter, backend: command, command: "echo ran >> runs.txt; echo counted" }
  - id: gate
    backend: command
    command: "echo $$ > gate.pid; while [ ! -e go ]; do sleep 0.1; done; echo passed"
steps:
  - { id: count, agent: counter }
  - { id: gate, agent: gate, dependsOn: [count] }
`;

/** A step that fails until the file \`ready\` exists, and then waits for a person to be tried again. */
export const PAUSING = `version: "1.0"
name: pausing
pattern: dag
agents:
  - { id: check, backend: command, command: ["test", "-e", "ready"] }
steps:
  - { id: check, agent: check }
errorHandling: { onFailure: pause }
`;
