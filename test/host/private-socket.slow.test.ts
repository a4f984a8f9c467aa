import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listenPrivately, type SocketRule } from "../../src/host/private-socket.ts";

const program = join(import.meta.dirname, "listening-program.ts");

test("a living process keeps its socket, also from whoever asks again and again [T2]", async () => {
  const path = createPath();
  const other = await startListener(path);
  for (const living of ["listens", "answers"] as const) {
    const place = await listen({ path, living, patienceMs: 100 });
    expect(place).toMatchObject({ status: "refused", problem: expect.stringContaining("lives") });
  }
  expect(readdirSync(join(path, ".."))).toEqual(["s.sock"]);
  other.kill("SIGKILL");
  await once(other, "exit");
  expect(await listen({ path, living: "listens", patienceMs: 0 })).toMatchObject({
    status: "listening",
  });
});

test("one that is frozen keeps its socket, but not that of a run whose lease it lost [T2, P5]", async () => {
  const path = createPath();
  const other = await startListener(path);
  other.kill("SIGSTOP");
  const rule = { path, patienceMs: 0 } as const;
  expect(await listen({ ...rule, living: "listens" })).toMatchObject({ status: "refused" });
  const place = await listen({ ...rule, living: "answers" });
  expect(place.status).toBe("listening");
  other.kill("SIGCONT");
  other.kill("SIGTERM");
  await once(other, "exit");
  expect(existsSync(path)).toBe(true);
  if (place.status === "listening") place.release();
  expect(existsSync(path)).toBe(false);
});

test("of many who find a dead socket at the same time one gets it, and the others see that she lives [T2]", async () => {
  const path = createPath();
  const dead = await startListener(path);
  dead.kill("SIGKILL");
  await once(dead, "exit");
  const places = await Promise.all(
    Array.from({ length: 40 }, () => listen({ path, living: "listens", patienceMs: 0 })),
  );
  expect(places.filter(({ status }) => status === "listening")).toHaveLength(1);
  expect(readdirSync(join(path, ".."))).toEqual(["s.sock"]);
});

test("a link in the place of a socket is removed, and what it leads to is left alone [T2]", async () => {
  const path = createPath();
  const led = join(path, "..", "other.sock");
  await startListener(led);
  symlinkSync(led, path);
  expect(await listen({ path, living: "listens", patienceMs: 0 })).toMatchObject({
    status: "listening",
  });
  expect(await listen({ path: led, living: "listens", patienceMs: 0 })).toMatchObject({
    status: "refused",
  });
});

function createPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-s-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "s.sock");
}

async function listen(rule: SocketRule) {
  const server: Server = createServer((socket) => socket.on("error", () => {}).end("no\n"));
  const place = await listenPrivately(server, rule);
  onTestFinished(() => void server.close());
  return place;
}

/** A process of its own that listens and answers everything with "no". */
async function startListener(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}
