import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  boundConnections,
  type DoorLimits,
  limitsOfProcess,
} from "../../src/host/connection-bound.ts";

test("whoever comes finds room: of those who are not being served the oldest goes [T14, P10]", async () => {
  const door = await openDoor({ maxConnections: 3, highestDescriptor: 100_000 });
  const silent = [await door.come(), await door.come(), await door.come()];
  // A word is not a request.
  for (const client of silent) client.write("G");
  await expect.poll(() => door.heard()).toBe("GGG");
  const client = await door.come();
  await expect.poll(() => silent.map(({ closed }) => closed)).toEqual([true, false, false]);
  client.write("hello");
  await expect.poll(() => door.heard()).toBe("GGGhello");
});

test("whoever is being served stays, and who comes then is hung up on [T14]", async () => {
  const door = await openDoor({ maxConnections: 2, highestDescriptor: 100_000 });
  const served = [await door.come(), await door.come()];
  const leave = door.serveAll();
  const late = await door.come();
  await expect.poll(() => late.closed).toBe(true);
  expect(served.map(({ closed }) => closed)).toEqual([false, false]);
  leave();
  const next = await door.come();
  await expect.poll(() => served.map(({ closed }) => closed)).toEqual([true, false]);
  expect(next.closed).toBe(false);
});

test("nobody new comes in once descriptors run short, whichever door took them [T14]", async () => {
  const { highestDescriptor } = limitsOfProcess();
  expect(highestDescriptor).toBeGreaterThan(100);
  const free = openSync("/dev/null", "r");
  closeSync(free);
  const door = await openDoor({ maxConnections: 100, highestDescriptor: free + 8 });
  const first = await door.come();
  first.write("x");
  await expect.poll(() => door.heard()).toBe("x");
  door.serveAll();
  const held = Array.from({ length: 20 }, () => openSync("/dev/null", "r"));
  const late = await door.come();
  await expect.poll(() => late.closed).toBe(true);
  for (const descriptor of held) closeSync(descriptor);
  expect(first.closed).toBe(false);
  const later = await door.come();
  later.write("y");
  await expect.poll(() => door.heard()).toBe("xy");
});

async function openDoor(limits: DoorLimits) {
  const directory = mkdtempSync(join(tmpdir(), "troupe-c-"));
  const bound = boundConnections(limits);
  let heard = "";
  const clients: Socket[] = [];
  const server = createServer((socket) => {
    if (!bound.admit(socket)) return;
    socket.on("data", (chunk) => {
      heard += String(chunk);
    });
  });
  const path = join(directory, "s");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    for (const socket of [...clients, ...bound.all()]) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    rmSync(directory, { recursive: true });
  });
  const come = () =>
    new Promise<Socket>((resolve) => {
      const client = connect(path, () => resolve(client));
      client.on("error", () => client.destroy());
      client.resume();
      clients.push(client);
    });
  const serveAll = () => {
    const leaving = [...bound.all()].map((socket) => bound.serve(socket));
    return () => {
      for (const leave of leaving) leave();
    };
  };
  return { come, serveAll, heard: () => heard };
}
