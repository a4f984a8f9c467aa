import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
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
