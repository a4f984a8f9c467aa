import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProcessHost } from "../../src/host/host.ts";
import type { OutputHandler } from "../../src/host/managed-process.ts";
import { createTestHost, eventually, newTag, tagged } from "./survivors.ts";

let host: ProcessHost;
beforeAll(() => {
  host = createTestHost();
});
afterAll(() => host.close());

function start(command: string, onStdout: OutputHandler, tag = newTag()) {
  return host.spawn({
    argv: ["sh", "-c", command],
    cwd: "/",
    env: host.baseEnv({ TEST_TAG: tag }),
    stdin: "open",
    onStdout,
    onStderr: () => {},
  });
}

test("a kept program answers what is written to it, and ends when its stdin is closed", async () => {
  let out = "";
  const kept = await start("exec cat", (chunk) => {
    out += chunk.toString();
  });
  for (const text of ["one\n", "two\n"]) {
    await kept.write(text);
    await eventually(
      () => out,
      (found) => found.endsWith(text),
    );
  }
  kept.closeStdin();
  expect(await kept.ended).toEqual({ exitCode: 0, signal: null });
  await kept.write("late\n");
  expect(out).toBe("one\ntwo\n");
});

test("nothing is lost when the handler is slower than the program, which it holds back [AGT-6, P10]", async () => {
  let bytes = 0;
  let isHandling = false;
  const kept = await start("head -c 1000000 /dev/zero", async (chunk) => {
    expect(isHandling).toBe(false);
    isHandling = true;
    await new Promise((resolve) => setTimeout(resolve, 20));
    bytes += chunk.length;
    isHandling = false;
  });
  await kept.ended;
  expect(bytes).toBe(1_000_000);
});

test("what a handler throws ends the family and is what `ended` rejects with [ENG-6]", async () => {
  const tag = newTag();
  const fail = () => {
    throw new Error("cannot take it");
  };
  const kept = await start("setsid sleep 300 & echo out; sleep 300", fail, tag);
  await expect(kept.ended).rejects.toThrow("cannot take it");
  expect(await tagged(tag)).toEqual([]);
});

test("however often its end is asked for, there is one ending", async () => {
  const tag = newTag();
  let out = "";
  const command = "trap 'echo TERM' TERM; echo on; while :; do sleep 0.05; done";
  const kept = await start(
    command,
    (chunk) => {
      out += chunk.toString();
    },
    tag,
  );
  await eventually(
    () => out,
    (found) => found === "on\n",
  );
  const ends = await Promise.all([kept.end(), kept.end(), kept.ended, kept.exited]);
  expect(ends).toEqual(Array(4).fill({ exitCode: null, signal: "SIGKILL" }));
  expect(out).toBe("on\nTERM\n");
  expect(await tagged(tag)).toEqual([]);
});
