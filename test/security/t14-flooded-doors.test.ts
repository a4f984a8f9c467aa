import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createVictim } from "./victim.ts";

const TROUPE = join(import.meta.dirname, "..", "..", "bin", "troupe.js");
const WORKFLOW = `name: w
pattern: fan-out
agents: [ { id: a, backend: command, command: "while [ ! -e go ]; do sleep 0.1; done; echo done" } ]
`;

/** Connections that say nothing, or half of something; they are let go with the test. */
async function flood(path: string, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, index) => {
    const socket: Socket = connect(path);
    socket.on("error", () => {});
    if (index % 5 === 0) socket.write('{"half');
    onTestFinished(() => void socket.destroy());
    return new Promise((resolve) => {
      socket.once("connect", resolve);
      socket.once("close", resolve);
    });
  });
  await Promise.all(all);
}

test.runIf(process.platform === "linux")(
  "connections to every socket, more than the daemon may open files, stop neither it nor its run [T14, P10]",
  async () => {
    const { project, env, troupe } = createVictim({ "w.yaml": WORKFLOW });
    const given = { cwd: project, env: { ...process.env, ...env } };
    execFileSync(
      "prlimit",
      ["--nofile=256:256", process.execPath, TROUPE, "daemon", "start"],
      given,
    );
    onTestFinished(async () => {
      await troupe("daemon", "stop");
    });
    expect((await troupe("run", "w.yaml", "go", "--detach")).exitCode).toBe(0);
    const sockets = join(env["XDG_RUNTIME_DIR"] ?? "", "troupe");
    const places = () => readdirSync(sockets).filter((name) => name.endsWith(".sock"));
    await expect.poll(() => places().length).toBeGreaterThanOrEqual(3);
    for (const name of places()) await flood(join(sockets, name), 400);
    expect((await troupe("daemon", "status")).out).toContain("running");
    writeFileSync(join(project, "go"), "");
    await expect
      .poll(async () => JSON.parse((await troupe("runs", "--json")).out).runs[0].state)
      .toBe("completed");
    const { out } = await troupe("logs", "@last", "--json");
    expect(out.split("requests-refused").length).toBeLessThan(20);
  },
);

const PIECE = "x".repeat(64 * 1024);
const HTTP_HEAD =
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
const LOUD = [
  { of: "a line", to: /./, head: '{"half', piece: PIECE },
  // The others speak in lines: to them a body is many requests, each of which is answered.
  {
    of: "a body",
    to: /^c-/,
    head: HTTP_HEAD,
    piece: `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`,
  },
];
const MAX_RESIDENT_KB = 300 * 1024;
// Largest request of a control socket, what a refused client may still send, and what the kernel holds of both sides.
const MAX_SENT_BYTES = 64 * 1024 * 1024;

/** Sends without end; resolves with the bytes that were sent when the other side hangs up. */
function shout(path: string, head: string, piece: string): Promise<number> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.resume();
  socket.write(head);
  const send = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("connect", send);
  socket.on("drain", send);
  return new Promise((resolve) => socket.once("close", () => resolve(socket.bytesWritten)));
}

function largestKb(pid: number): number {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

test.runIf(process.platform === "linux")(
  "a client that sends a line or a body without end to any socket is hung up on, and the daemon goes on serving others [AGT-21.clients, T14]",
  async () => {
    const { project, env, troupe } = createVictim({ "w.yaml": WORKFLOW });
    await troupe("daemon", "start");
    onTestFinished(async () => {
      await troupe("daemon", "stop");
    });
    expect((await troupe("run", "w.yaml", "go", "--detach")).exitCode).toBe(0);
    const sockets = join(env["XDG_RUNTIME_DIR"] ?? "", "troupe");
    const places = () => readdirSync(sockets).filter((name) => name.endsWith(".sock"));
    await expect.poll(() => places().length).toBeGreaterThanOrEqual(3);
    for (const { of, to, head, piece } of LOUD)
      for (const name of places().filter((each) => to.test(each))) {
        const sentBytes = await shout(join(sockets, name), head, piece);
        expect(sentBytes, `${of} to ${name}`).toBeLessThan(MAX_SENT_BYTES);
      }
    const { pid } = JSON.parse((await troupe("daemon", "status", "--json")).out);
    expect(largestKb(pid)).toBeLessThan(MAX_RESIDENT_KB);
    writeFileSync(join(project, "go"), "");
    await expect
      .poll(async () => JSON.parse((await troupe("runs", "--json")).out).runs[0].state)
      .toBe("completed");
  },
);
