import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { SessionRecord } from "../../../../src/contracts/session-record.ts";
import { modelRun } from "./model-run.ts";
import { rawModelServer, streamOf } from "./raw-model-server.ts";

const WINDOW_TOKENS = 40_000;
const CHARS_PER_TOKEN = 4;

/** A model that reads a file in each turn, and counts what it is shown as its makers would. */
async function reader() {
  const tokens: number[] = [];
  const server = await rawModelServer((body) => {
    const sizeTokens = Math.ceil(body.length / CHARS_PER_TOKEN);
    tokens.push(sizeTokens);
    const { messages, tool_choice: choice } = JSON.parse(body);
    const last = JSON.stringify(messages.at(-1));
    const { pieces, ...reply } = streamOf("anthropic", answerTo(last, choice?.type === "none"));
    const counted = pieces.map((piece) =>
      piece.replace(/"input_tokens":\d+/, `"input_tokens":${sizeTokens - 1000}`),
    );
    return { ...reply, pieces: counted };
  });
  return { url: server.url, tokens };
}

function answerTo(last: string, isSummary: boolean) {
  if (isSummary || last.includes("context is nearly full"))
    return { text: "So far many files were read.", calls: [] };
  if (last.includes("tool_result")) return { text: "It says a lot of x.", calls: [] };
  return { calls: [{ tool: { name: "Read" }, args: { file_path: "a.txt" } }] };
}

/** Keeps nothing here, as the journal does. */
function elsewhere(count: () => void): SessionRecord {
  return {
    read: () => [],
    keepRest: () => undefined,
    flushed: async () => {},
    keep: (_turn, { type }, entry) => {
      if (type === "context-compacted") count();
      return entry;
    },
  };
}

function collector(): () => number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("no gc");
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

test("300 turns of one session stay within the window of the model, and take no more memory at the end than at the start [LOOP-4.compaction, LOOP-13.nearly]", async () => {
  const { url, tokens } = await reader();
  let compactions = 0;
  const record = elsewhere(() => {
    compactions += 1;
  });
  const run = await modelRun({
    record,
    settings: { baseUrl: `${url}/v1`, contextWindow: WINDOW_TOKENS },
  });
  await writeFile(join(run.cwd, "a.txt"), `${"x".repeat(99)}\n`.repeat(240));
  const heapUsed = collector();
  let atHundred = 0;
  for (let turn = 1; turn <= 300; turn += 1) {
    const updates = await run.turn([], { prompt: `Read it, for the ${turn}th time.`, turn });
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "It says a lot of x." });
    tokens.splice(0, Math.max(0, tokens.length - 1000));
    if (turn === 100) atHundred = heapUsed();
  }
  expect(Math.max(...tokens)).toBeLessThan(WINDOW_TOKENS);
  expect(compactions).toBeGreaterThan(20);
  // Were it all kept, 200 turns would be 5 MB of texts alone.
  expect(heapUsed() - atHundred).toBeLessThan(3 * 1024 * 1024);
});
