import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProcessHost } from "../../src/host/host.ts";
import type { OutputHandler } from "../../src/host/managed-process.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";
import { createTestHost, eventually, newTag, tagged } from "./survivors.ts";

let host: ProcessHost;
beforeAll(() => {
  host = createTestHost();
});
afterAll(() => host.close());

interface Started {
  readonly tag?: string;
  readonly graceMs?: number;
}

function start(command: string, onStdout: OutputHandler, started: Started = {}) {
  const { tag = newTag(), ...grace } = started;
  return host.spawn({
    argv: ["sh", "-c", command],
    cwd: "/",
    env: host.baseEnv({ TEST_TAG: tag }),
    stdin: "open",
    onStdout,
    onStderr: () => {},
    ...grace,
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
  const kept = await start("setsid sleep 300 & echo out; sleep 300", fail, { tag });
  await expect(kept.ended).rejects.toThrow("cannot take it");
  expect(await tagged(tag)).toEqual([]);
});

test("however often its end is asked for, there is one ending", async () => {
  const tag = newTag();
  const goOn = join(temporaryDirectory(), "go-on");
  let out = "";
  const command = `trap 'echo TERM' TERM; echo on; while [ ! -e '${goOn}' ]; do sleep 0.05; done; exit 7`;
  const kept = await start(
    command,
    (chunk) => {
      out += chunk.toString();
    },
    { tag, graceMs: 60_000 },
  );
  await eventually(
    () => out,
    (found) => found === "on\n",
  );
  const ends = Promise.all([kept.end(), kept.end(), kept.ended, kept.exited]);
  await eventually(
    () => out,
    (found) => found === "on\nTERM\n",
  );
  writeFileSync(goOn, "");
  expect(await ends).toEqual(Array(4).fill({ exitCode: 7, signal: null }));
  expect(out).toBe("on\nTERM\n");
  expect(await tagged(tag)).toEqual([]);
});

test("what is told to end and does not is killed, and all who wait are told so", async () => {
  let out = "";
  const kept = await start("trap '' TERM; echo on; sleep 300", (chunk) => {
    out += chunk.toString();
  });
  await eventually(
    () => out,
    (found) => found === "on\n",
  );
  const ends = await Promise.all([kept.end(), kept.end(), kept.ended, kept.exited]);
  expect(ends).toEqual(Array(4).fill({ exitCode: null, signal: "SIGKILL" }));
});
