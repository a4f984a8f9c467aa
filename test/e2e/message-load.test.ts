import { expect, test } from "vitest";
import type { RunRuntime } from "../../src/engine/run-runtime.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { postMessage } from "../../src/messaging/post-message.ts";
import { readChannel } from "../../src/messaging/read-channel.ts";
import { casesOf } from "../cases.ts";
import { createTemporaryStore } from "../journal/temporary-store.ts";
import { openMessageRun } from "../messaging/message-run.ts";

// Writers wait for their message to be durable before they write the next; readers follow by position.
const WRITERS = 50;
const READERS = 20;
const MESSAGES = casesOf(800_000);
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;
/** What Node itself takes for its first work is none of the messages'. */
const WARM_UP_MESSAGES = 20_000;

test("50 writers and 20 readers share many durable messages within bounded memory [P10, MSG-5, PERF-15]", {
  timeout: 900_000,
}, async () => {
  await carry(WARM_UP_MESSAGES);
  const load = await carry(MESSAGES);
  print(load);
  expect(load.readers).toEqual(load.readers.map(() => ({ count: MESSAGES, problem: undefined })));
  expect(load.stored).toBe(MESSAGES);
  expect(load.growthBytes).toBeLessThanOrEqual(MAX_GROWTH_BYTES);
});

interface Load {
  readonly durationMs: number;
  /** One per message, sorted. */
  readonly latenciesMs: Float64Array;
  readonly growthBytes: number;
  readonly readers: readonly ReaderResult[];
  /** Messages in the journal. */
  readonly stored: number;
}

interface ReaderResult {
  readonly count: number;
  /** What came out of order. */
  readonly problem: string | undefined;
}

async function carry(messages: number): Promise<Load> {
  const { store, cleanup } = createTemporaryStore();
  const names = Array.from({ length: WRITERS }, (_, index) => `writer-${index + 1}`);
  const run = await openMessageRun(store, { clock: systemClock, agents: names });
  // Filled before, so that it does not count as growth.
  const latenciesMs = new Float64Array(messages).fill(-1);
  const rssBefore = process.memoryUsage.rss();
  const startedMs = performance.now();
  const isOver = { isOver: false };
  const reading = Promise.all(Array.from({ length: READERS }, () => read(run.runtime, isOver)));
  const places = latenciesMs.keys();
  await Promise.all(names.map((name) => write(run.runtime, name, { places, latenciesMs })));
  const durationMs = performance.now() - startedMs;
  isOver.isOver = true;
  const readers = await reading;
  const growthBytes = process.memoryUsage.rss() - rssBefore;
  await run.letGo();
  const stored = run.stored().messages.count;
  await cleanup();
  return { durationMs, latenciesMs: latenciesMs.sort(), growthBytes, readers, stored };
}

interface Writing {
  /** Shared by all writers: whoever takes the next writes it. */
  readonly places: Iterator<number>;
  readonly latenciesMs: Float64Array;
}

async function write(
  runtime: RunRuntime,
  from: string,
  { places, latenciesMs }: Writing,
): Promise<void> {
  let index = 0;
  for (let next = places.next(); next.done !== true; next = places.next()) {
    index += 1;
    const sentMs = performance.now();
    const draft = { text: `message ${index} of ${from}, which says what was found` };
    postMessage(runtime, { from, draft, key: `${from}/${index}`, mainChannel: "main" });
    await runtime.flushed();
    latenciesMs[next.value] = performance.now() - sentMs;
  }
}

/** Follows the channel and looks whether each writer's messages come in their order. */
async function read(
  runtime: RunRuntime,
  writing: { readonly isOver: boolean },
): Promise<ReaderResult> {
  const lastOf = new Map<string, number>();
  for (let count = 0, since = 0; ; ) {
    const page = readChannel(runtime, { channel: "main", since, limit: 500 });
    for (const { from, text } of page.messages) {
      const number = Number(text.split(" ", 2)[1]);
      const last = lastOf.get(from) ?? 0;
      if (number !== last + 1) return { count, problem: `${from}: ${number} after ${last}` };
      lastOf.set(from, number);
    }
    count += page.messages.length;
    since = page.next;
    if (writing.isOver && !page.hasMore) return { count, problem: undefined };
    if (!page.hasMore) await runtime.flushed();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function print({ durationMs, latenciesMs, growthBytes }: Load): void {
  const at = (share: number) => (latenciesMs[Math.floor(MESSAGES * share)] ?? 0).toFixed(2);
  const perSecond = Math.round(MESSAGES / (durationMs / 1000));
  const perMessage = Math.round(growthBytes / MESSAGES);
  process.stdout.write(
    `${MESSAGES} messages: ${perSecond} per s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ` +
      `${Math.round(growthBytes / 1024 / 1024)} MiB more, ${perMessage} bytes per message\n`,
  );
}
