import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { ReachRefusal } from "../../../src/contracts/host.ts";
import { type EgressOptions, serveEgress } from "../../../src/host/egress/serve-egress.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** The inner end of a line whose outer end is served, as whoever got hold of it would have it. */
async function openLine(options: Partial<EgressOptions> = {}): Promise<Socket> {
  const reach = { hosts: [], local: [] };
  const resolveName = () => Promise.reject(new Error("nobody should ask"));
  const server = createServer((line) => serveEgress(line, { reach, resolveName, ...options }));
  const line = connectSocket(await listen(server), "127.0.0.1");
  closing.push(() => line.destroy());
  await once(line, "connect");
  return line;
}

async function openSession(options: Partial<EgressOptions> = {}): Promise<ClientHttp2Session> {
  const line = await openLine(options);
  line.on("error", () => {});
  const session = connect("http://troupe", { createConnection: () => line, maxSessionMemory: 64 });
  closing.push(() => session.destroy());
  session.on("error", () => {});
  await once(session, "remoteSettings");
  return session;
}

async function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  stream.on("error", () => {});
  const [headers] = await once(stream, "response");
  stream.destroy();
  return headers[":status"];
}

test("what is no tunnel to a listed place is refused, and told once [SEC-5.network, T13.sandbox]", async () => {
  const refusals: ReachRefusal[] = [];
  const session = await openSession({ onRefused: (refusal) => void refusals.push(refusal) });
  const asked = [
    { ":method": "GET", ":path": "/", ":authority": "good.test:443" },
    { ":method": "CONNECT", ":authority": "127.0.0.1:22" },
    { ":method": "CONNECT", ":authority": "127.0.0.1:22" },
    { ":method": "CONNECT", ":authority": "x".repeat(1000) },
  ];
  for (const headers of asked) expect(await statusOf(session.request(headers))).toBe(403);
  expect(refusals).toEqual([
    { target: "", reason: "it is no host and port as they are usually written" },
    { target: "127.0.0.1:22", reason: "it is a loopback address" },
    { target: "x".repeat(120), reason: "it is no host and port as they are usually written" },
  ]);
});

test("what is no HTTP/2 loses its line, and nothing else happens [SEC-5.network, T13.sandbox]", async () => {
  for (const bytes of [randomBytes(5000), "GET / HTTP/1.1\r\n\r\n", Buffer.alloc(100_000, 0)]) {
    const line = await openLine();
    line.on("error", () => {});
    const closed = once(line, "close");
    line.resume().write(bytes);
    await closed;
    expect(line.destroyed).toBe(true);
  }
  const session = await openSession();
  expect(await statusOf(session.request({ ":method": "GET", ":path": "/" }))).toBe(403);
});

test("a flood of streams that are opened and given up loses its line [SEC-5.network, T13.sandbox]", async () => {
  const session = await openSession();
  const closed = new Promise((resolve) => session.once("close", resolve));
  for (let count = 0; count < 5000 && !session.closed; count += 1) {
    const stream = session.request({ ":method": "CONNECT", ":authority": "x.test:443" });
    stream.on("error", () => {});
    stream.close();
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  expect(session.destroyed).toBe(true);
});

test("no more than 256 connections are open at a time, and the line outlives those that were too many [SEC-5.network, T14]", async () => {
  const open = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.resume();
  });
  const local = `127.0.0.1:${await listen(server)}`;
  const session = await openSession({ reach: { hosts: [], local: [local] } });
  const ask = () =>
    session.request({ ":method": "CONNECT", ":authority": local }, { endStream: false });
  const streams = Array.from({ length: 600 }, () => ask().on("error", () => {}));
  await expect.poll(() => open.size).toBe(256);
  for (const stream of streams) stream.destroy();
  await expect.poll(() => open.size).toBe(0);
  expect(most).toBe(256);
  expect(await statusOf(ask())).toBe(200);
});

test("all bytes of both ways arrive in their order, also after one side has said all [SEC-5.network]", async () => {
  const size = 8 * 1024 * 1024;
  const bytes = randomBytes(size);
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  const local = `127.0.0.1:${await listen(server)}`;
  const session = await openSession({ reach: { hosts: [], local: [local] } });
  const echo = async () => {
    const stream = session.request(
      { ":method": "CONNECT", ":authority": local },
      { endStream: false },
    );
    stream.end(bytes);
    const hash = createHash("sha256");
    for await (const chunk of stream) hash.update(chunk);
    return hash.digest("hex");
  };
  const expected = createHash("sha256").update(bytes).digest("hex");
  expect(await Promise.all([echo(), echo(), echo()])).toEqual(Array(3).fill(expected));
});

test("what goes through the line ends with it [SEC-5.network, ENG-6]", async () => {
  let ended = 0;
  const server = createServer((socket) => {
    socket
      .on("error", () => {})
      .on("close", () => {
        ended += 1;
      });
  });
  const local = `127.0.0.1:${await listen(server)}`;
  const session = await openSession({ reach: { hosts: [], local: [local] } });
  const stream = session.request({ ":method": "CONNECT", ":authority": local });
  stream.on("error", () => {});
  await once(stream, "response");
  session.destroy();
  await expect.poll(() => ended).toBe(1);
});
