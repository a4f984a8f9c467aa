import type { ChosenModel } from "./choose-model.ts";
import { readFailure } from "./model-failure.ts";
import { type ModelAccess, openModel } from "./open-model.ts";

/** The least that every provider lets one ask for, in tokens. */
const LEAST_TOKENS = 16;

/** Asks a model for one word, once; why it does not answer, undefined when it does. Rejects when the signal aborts. */
export async function tryModel(
  chosen: ChosenModel,
  access: ModelAccess,
  signal: AbortSignal,
): Promise<string | undefined> {
  const model = await openModel(chosen, access);
  try {
    await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "Say ok." }] }],
      maxOutputTokens: LEAST_TOKENS,
      abortSignal: signal,
      providerOptions: { openai: { store: false } },
    });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const { problem, status } = readFailure(error, 0).told;
    return status === undefined ? problem : `${status}: ${problem}`;
  }
}
