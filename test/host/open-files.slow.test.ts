import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

const SOURCES = join(import.meta.dirname, "../../src");

const FILL = `
import { openSync, closeSync, readdirSync } from "node:fs";
const held = [];
const fill = () => { try { for (;;) held.push(openSync("/dev/null")); } catch (error) { return error.code; } };
`;

/** Opens a log when no file may be opened any more, closes one a moment later, and prints what it saw. */
const OPEN_A_LOG = `${FILL}
const { openOutputLog } = await import(process.argv[1] + "/host/output-log.ts");
const { createSecretMasker } = await import(process.argv[1] + "/foundation/secret-masker.ts");
const masker = createSecretMasker([]);
const seen = [fill()];
const opening = openOutputLog(process.argv[2], { masker, maxBytes: 1000 });
setImmediate(() => { seen.push("waited"); closeSync(held.pop()); });
const log = await opening;
seen.push("opened");
closeSync(held.pop());
log.close();
console.log(seen.join(" "));
`;

test("a log waits for a descriptor when too many files are open, and is opened then", async () => {
  const path = join(temporaryDirectory(), "agent.log");
  expect(await outputOf(OPEN_A_LOG, path)).toBe("EMFILE waited opened");
});

/** Runs a command while so many descriptors are free, for each number from none on; prints those that it has lost then. */
const RUN_COMMANDS = `${FILL}
const { createHost } = await import(process.argv[1] + "/host/host.ts");
const { systemClock } = await import(process.argv[1] + "/foundation/clock.ts");
const host = createHost({ run: "run_aaaaaa", clock: systemClock, env: process.env, reaper: false, graceMs: 500 });
const request = { command: "echo hi", cwd: process.argv[2], env: host.baseEnv({}) };
const never = new AbortController().signal;
await host.run(request, never);
const count = () => readdirSync("/proc/self/fd").length;
const settled = async () => { for (let round = 0; round < 50; round += 1) await new Promise(setImmediate); };
await settled();
const before = count();
for (let free = 0; free < 14; free += 1) {
  fill();
  for (let index = 0; index < free; index += 1) closeSync(held.pop());
  const running = host.run(request, never);
  await settled();
  while (held.length > 0) closeSync(held.pop());
  const { stdout } = await running;
  if (stdout !== "hi\\n") throw new Error(stdout);
}
await settled();
console.log(count() - before);
await host.close();
`;

test("a program whose start found too few descriptors is started later, and none of them is lost", async () => {
  expect(await outputOf(RUN_COMMANDS, temporaryDirectory())).toBe("0");
});

/** Starts the first program of a process, with its reaper, and listens at a socket, while so many descriptors are free. */
const BEGIN = `${FILL}
import { createServer } from "node:net";
const { createHost } = await import(process.argv[1] + "/host/host.ts");
const { startListening } = await import(process.argv[1] + "/host/private-socket.ts");
const { systemClock } = await import(process.argv[1] + "/foundation/clock.ts");
const [directory, free] = process.argv[2].split(" ");
const host = createHost({ run: "run_aaaaaa", clock: systemClock, env: process.env, reaper: true, graceMs: 500 });
const server = createServer();
fill();
for (let index = 0; index < Number(free); index += 1) closeSync(held.pop());
const request = { command: "echo hi", cwd: directory, env: host.baseEnv({}) };
const running = host.run(request, new AbortController().signal);
const listening = startListening(server, { path: directory + "/door" });
for (let round = 0; round < 50; round += 1) await new Promise(setImmediate);
while (held.length > 0) closeSync(held.pop());
await listening;
server.close();
const { stdout } = await running;
await host.close();
console.log(stdout);
`;

test.each([0, 2, 5, 8])(
  "the first program of a process, its reaper and a socket wait where %i descriptors are free",
  async (free) => {
    expect(await outputOf(BEGIN, `${temporaryDirectory()} ${free}`)).toBe("hi");
  },
);

async function outputOf(script: string, operand: string): Promise<string> {
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    'ulimit -n 60; exec "$0" --input-type=module -e "$1" "$2" "$3"',
    ...[process.execPath, script, SOURCES, operand],
  ]);
  return stdout.trim();
}
