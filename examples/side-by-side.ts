// Three tasks side by side, a function among them, from TypeScript. Run it: node examples/side-by-side.ts
import { fanOut } from "troupe";

const run = fanOut(
  [
    { name: "node", task: "Which Node is this?", command: ["node", "--version"] },
    { name: "words", task: "one two three", run: ({ task }) => `${task.split(" ").length} words` },
    { name: "helper", task: "Say that you are done", script: [{ say: "DONE: said" }] },
  ],
  {
    store: "memory",
    onAgentDone: (agent, summary) => process.stdout.write(`${agent}: ${summary}\n`),
  },
);

const { success } = await run.result;
process.exitCode = success ? 0 : 1;
