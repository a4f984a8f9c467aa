import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { LineConnection } from "../../src/control/line-connection.ts";
import { startLineServer } from "../../src/control/line-server.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import type { Json } from "../../src/foundation/json.ts";

const request = z.object({ id: z.number(), say: z.string() });
type Request = z.infer<typeof request>;

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "line-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "socket");
}

async function serve(take: (request: Request) => Promise<Json>): Promise<string> {
  const path = freshPath();
  const server = await startLineServer(
    { path, living: "answers", patienceMs: 100 },
    { version: 1, maxLineChars: 1000, read: (value) => request.parse(value), take },
  );
  onTestFinished(() => server.close());
  return path;
}

function connectTo(socketPath: string): LineConnection {
  const connection = new LineConnection({
    socketPath,
    version: 1,
    maxLineChars: 1000,
    clock: systemClock,
  });
  onTestFinished(() => connection.close());
  return connection;
}

const codeOf = (error: unknown): unknown => (error instanceof TroupeError ? error.code : error);

test("requests that are under way at the same time get their own answers, in whatever order they come", async () => {
  const first = Promise.withResolvers<void>();
  const path = await serve(async ({ say }) => {
    if (say === "one") await first.promise;
    else first.resolve();
    return say;
  });
  const line = connectTo(path);
  const answers = ["one", "two"].map((say) => line.ask({ say }, 5000));
  expect(await Promise.all(answers)).toEqual([
    { status: "answered", result: "one" },
    { status: "answered", result: "two" },
  ]);
});

test("one that is no request is refused alone, and the line goes on", async () => {
  const held = Promise.withResolvers<void>();
  const path = await serve(async ({ say }) => {
    await held.promise;
    return say;
  });
  const line = connectTo(path);
  const good = line.ask({ say: "good" }, 5000);
  await expect(line.ask({ sing: "bad" }, 5000)).rejects.toThrow();
  held.resolve();
  expect(await good).toEqual({ status: "answered", result: "good" });
  expect(line.isOpen).toBe(true);
});

test("where nobody listens nothing was sent", async () => {
  expect(await connectTo(freshPath()).ask({ say: "hello" }, 5000)).toMatchObject({
    status: "absent",
  });
});

test("a server that hangs up or answers with something else ends all that wait, and the line", async () => {
  for (const end of [
    (socket: Socket) => socket.destroy(),
    (socket: Socket) => socket.write("nonsense\n"),
    (socket: Socket) => socket.write('{"v":1,"id":99,"ok":true,"result":null}\n'),
  ]) {
    const path = freshPath();
    const server = createServer((socket) => socket.once("data", () => end(socket)));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    const line = connectTo(path);
    const failed = await Promise.all(
      ["one", "two"].map((say) => line.ask({ say }, 5000).catch(codeOf)),
    );
    expect(["RUN_OWNER_UNREACHABLE", "RUN_CONTROL_MESSAGE_INVALID"]).toContain(failed[0]);
    expect(failed[1]).toBe(failed[0]);
    expect(line.isOpen).toBe(false);
  }
});
