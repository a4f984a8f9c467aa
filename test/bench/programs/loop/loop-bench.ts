// What the loops of agents are measured by: one scripted model, in a process of its own.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { printFigure } from "../../figure.ts";
import { medianOf } from "../../median.ts";

/** Answers of the model to one prompt. */
export const turns = Number(process.argv[2] ?? 50);
/** Agents at once. */
const agents = Number(process.argv[3] ?? 1);
/** Whether what was said has to outlive the process. */
export const isDurable: boolean = process.argv[4] === "durable";

const isCrowd = agents > 1;
// The compiler of Node takes longer to settle with a loop than with a step.
const warmUps = isCrowd ? 0 : 8;
const rounds = isCrowd ? 1 : 5;

/** The tool that the model calls. */
export const tool = {
  name: "look",
  description: "Looks.",
  says: ({ index }: { readonly index: number }): string => `seen ${index}`,
};

/** Gives one prompt to a new agent and resolves with its last words. */
type Prompt = (agent: number, round: number) => Promise<unknown>;

/** Prints microseconds for each answer of the model whose address `open` gets. */
export async function printLoopFigure(
  open: (baseUrl: string) => Prompt | Promise<Prompt>,
): Promise<void> {
  const server = fork(join(import.meta.dirname, "model-server.mjs"), { silent: true });
  if (server.stdout === null) throw new Error("the model says nothing");
  const [port] = await once(server.stdout, "data");
  const prompt = await open(`http://127.0.0.1:${String(port).trim()}/${turns}/v1`);
  const figures: number[] = [];
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const startedMs = performance.now();
    const prompts = Array.from({ length: agents }, (_, agent) => prompt(agent, round));
    const said = await Promise.all(prompts);
    const durationMs = performance.now() - startedMs;
    const wrong = said.find((text) => text !== "done");
    if (wrong !== undefined) throw new Error(`it said ${String(wrong)}`);
    if (round >= warmUps) figures.push((durationMs * 1000) / (turns * agents));
  }
  server.disconnect();
  printFigure(medianOf(figures));
}
