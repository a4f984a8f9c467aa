import type { Json } from "../../src/foundation/json.ts";
import { runWorkflow } from "../../src/index.ts";

/** What a participant says in a turn, of what it is told. */
export type Participant = (prompt: string) => string;

/** A pattern, its block, and who takes part. */
export interface Play {
  readonly pattern: string;
  readonly block?: { readonly [key: string]: { readonly [key: string]: Json } };
  readonly cast: { readonly [agent: string]: Participant };
}

/** A real run of a pattern, in memory, with functions in the place of models. */
export async function play({ pattern, block = {}, cast }: Play, task = "the question") {
  const agents = Object.keys(cast).map((id) => ({ id }));
  const functions = Object.fromEntries(
    Object.entries(cast).map(([id, says]) => [
      id,
      ({ prompt }: { prompt: string }) => says(prompt),
    ]),
  );
  const options = { store: "memory", functions } as const;
  return await runWorkflow({ pattern, agents, ...block }, task, options).result;
}
