import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandResult, NetworkReach, ReachRefusal } from "../../src/contracts/host.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHost, type ProcessHost } from "../../src/host/host.ts";
import { confinement } from "../host/confinement.ts";
import { has } from "../machine.ts";

// A program in a real sandbox tries everything to get where it may not. Only names are made up: what they resolve
// to is said here, and nothing leaves this machine.

const { PATH = "" } = process.env;
const node = realpathSync(process.execPath);

let root: string;
let host: ProcessHost;
let refusals: ReachRefusal[];
let resolved: string[];
/** What names resolve to, one answer after the other; the last one stays. */
let names: Map<string, string[]>;
let closing: (() => void)[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-network-")));
  [refusals, resolved, closing, names] = [[], [], [], new Map()];
  host = createHost({
    run: "run_a",
    clock: systemClock,
    env: { PATH },
    reaper: false,
    resolveName: async (name) => {
      resolved.push(name);
      const answers = names.get(name);
      const address = (answers ?? []).length > 1 ? answers?.shift() : answers?.[0];
      if (address === undefined) throw new Error("no such name");
      return [address];
    },
  });
});
afterEach(async () => {
  await host.close();
  for (const close of closing) close();
  rmSync(root, { recursive: true });
});

/** A server outside; counts who comes. */
async function listenOutside(
  address = "127.0.0.1",
): Promise<{ readonly port: number; readonly visitors: () => number }> {
  let visitors = 0;
  const server = createServer((socket: Socket) => {
    visitors += 1;
    // What is left unread would be a reset for the other side.
    socket.on("error", () => {}).resume();
    socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 7\r\n\r\nreached");
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  closing.push(() => server.close());
  const bound = server.address();
  return { port: typeof bound === "object" ? (bound?.port ?? 0) : 0, visitors: () => visitors };
}

function confined(command: readonly string[], network: NetworkReach): Promise<CommandResult> {
  const confine = confinement({
    home: root,
    writable: [root],
    readOnly: [node],
    network,
    onRefused: (refusal: ReachRefusal) => void refusals.push(refusal),
  });
  const request = { command, cwd: root, env: { PATH }, confine, timeoutMs: 60_000 };
  return host.run(request, new AbortController().signal);
}

/** Runs JavaScript inside; it has `ask`, which sends raw bytes to a port and gives what comes back. */
async function inside(network: NetworkReach, body: string): Promise<string> {
  const script = join(root, "try.cjs");
  writeFileSync(
    script,
    `const net = require("node:net");
const ask = (port, bytes, host = "127.0.0.1") => new Promise((resolve) => {
  let text = "";
  const socket = net.connect(port, host, () => socket.write(bytes));
  socket.on("data", (chunk) => { text += chunk.toString("latin1"); });
  socket.on("error", (error) => resolve(error.code));
  socket.on("close", () => resolve(text));
  socket.setTimeout(5000, () => socket.destroy());
});
const tunnel = (target) => ask(3128, "CONNECT " + target + " HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
const status = async (answer) => (/^HTTP\\/1.1 (\\d+)/.exec(await answer) ?? ["", await answer])[1];
(async () => { ${body} })().then(() => process.exit(0));`,
  );
  const { stdout, stderr } = await confined([node, script], network);
  expect(stderr).toBe("");
  return stdout;
}

describe.runIf(has("bubblewrap"))("a confined program", () => {
  test("reaches its own local door at its very address, and no other port of this machine [SEC-5.network, T13.sandbox]", async () => {
    const [door, other] = [await listenOutside(), await listenOutside()];
    const reach = { hosts: [], local: [`127.0.0.1:${door.port}`] };
    const out = await inside(
      reach,
      `console.log((await ask(${door.port}, "GET / HTTP/1.0\\r\\n\\r\\n")).endsWith("reached"));
       console.log(await ask(${other.port}, "x"));
       console.log(await status(tunnel("127.0.0.1:${other.port}")));
       console.log(await status(tunnel("localhost:${other.port}")));
       console.log(await status(tunnel("[::1]:${other.port}")));
       console.log(await status(tunnel("127.0.0.1:${door.port}")));`,
    );
    expect(out.trim().split("\n")).toEqual(["true", "ECONNREFUSED", "403", "403", "403", "200"]);
    expect([door.visitors(), other.visitors(), resolved]).toEqual([2, 0, []]);
    expect(refusals.map(({ target }) => target)).toEqual([
      ...[`127.0.0.1:${other.port}`, `localhost:${other.port}`, `[::1]:${other.port}`],
    ]);
  });

  test("has no interface but loopback, and its line is not among its descriptors [SEC-5.network, T13.sandbox]", async () => {
    const out = await inside(
      { hosts: ["good.test"], local: [] },
      `const fs = require("node:fs"), os = require("node:os");
       console.log(Object.keys(os.networkInterfaces()).join());
       console.log(fs.readFileSync("/proc/net/dev", "utf8").split("\\n").slice(2).map((line) => line.trim().split(":")[0]).filter(Boolean).join());
       let line = "none";
       try { new net.Socket({ fd: 3 }); line = "there"; } catch {}
       console.log(line);
       const udp = require("node:dgram").createSocket("udp4");
       udp.on("error", () => {});
       udp.send("x", 53, "1.1.1.1", (error) => { console.log(error.code); udp.close(); });
       await new Promise((resolve) => udp.on("close", resolve));`,
    );
    expect(out.trim().split("\n")).toEqual(["lo", "lo", "none", "ENETUNREACH"]);
  });

  test("is kept from everything that is not listed, however it spells it [SEC-5.network, T13.sandbox]", async () => {
    const { port, visitors } = await listenOutside();
    names.set("good.test", ["127.0.0.1"]);
    const targets = [
      ...["169.254.169.254:80", "[::ffff:169.254.169.254]:80", "metadata.google.internal:80"],
      ...[`2130706433:${port}`, `0x7f000001:${port}`, `0177.0.0.1:${port}`, `127.1:${port}`],
      ...[`[::ffff:127.0.0.1]:${port}`, `[::ffff:7f00:1]:${port}`, `[64:ff9b::7f00:1]:${port}`],
      ...[`0.0.0.0:${port}`, `[::]:${port}`, `127.0.0.2:${port}`, "10.0.0.1:443", "1.1.1.1:443"],
      ...["evil.test:443", "good.test.evil.test:443", "evilgood.test:443", "good.test:22"],
      ...[`good.test@127.0.0.1:${port}`, "good.test:443:80", `${"a".repeat(300)}.good.test:443`],
    ];
    const out = await inside(
      { hosts: ["good.test", "*.good.test"], local: [] },
      `for (const target of ${JSON.stringify(targets)}) console.log(await status(tunnel(target)));
       console.log(await status(tunnel("evil.test\\0.good.test:443")));
       console.log(await status(tunnel("evil.test\\n.good.test:443")));
       console.log(await status(ask(3128, "GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: good.test\\r\\nConnection: close\\r\\n\\r\\n")));
       console.log(await status(ask(3128, "GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nConnection: close\\r\\n\\r\\n")));`,
    );
    const answers = out.trim().split("\n");
    expect(answers).toHaveLength(targets.length + 4);
    expect(answers.filter((answer) => !["403", "400"].includes(answer))).toEqual([]);
    expect([visitors(), resolved]).toEqual([0, []]);
  });

  test("gets nowhere by a listed name that means a private address, now or a moment later [SEC-5.network, T13.sandbox]", async () => {
    const { port, visitors } = await listenOutside();
    names.set("near.test", ["127.0.0.1"]);
    names.set("lan.test", ["10.0.0.1"]);
    names.set("cloud.test", ["169.254.169.254"]);
    // A public address for whoever checks, this machine for whoever connects.
    names.set("turns.test", ["127.0.0.1", "127.0.0.1"]);
    const hosts = ["near", "lan", "cloud", "turns"].map((name) => `${name}.test:${port}`);
    const out = await inside(
      { hosts, local: [] },
      `for (const target of ${JSON.stringify([...hosts, ...hosts])}) console.log(await status(tunnel(target)));`,
    );
    expect(out.trim().split("\n")).toEqual(Array(8).fill("403"));
    expect(visitors()).toBe(0);
    expect(refusals[1]).toEqual({
      target: `lan.test:${port}`,
      reason: `lan.test is at 10.0.0.1: list 10.0.0.1:${port} too if that is right`,
    });
  });

  test("reaches a listed name at its public address, the very one that was judged [SEC-5.network, T13.sandbox, T13.rebinding]", ({
    skip,
  }) => {
    const world = "ip link set lo up && ip route add local 1.2.3.0/24 dev lo";
    const inWorld = (command: string) =>
      spawnSync("unshare", ["-rn", "/bin/sh", "-c", `${world} && ${command}`], {
        encoding: "utf8",
      });
    if (inWorld("true").status !== 0) skip("no network of its own can be made here");
    const program = join(import.meta.dirname, "public-world-program.ts");
    const { stdout, stderr } = inWorld(`exec "${node}" "${program}"`);
    expect(stderr).toBe("");
    // A moment later the name means this machine.
    expect(JSON.parse(stdout)).toEqual({
      said: "publicgood.test is at 127.0.0.1: list 127.0.0.1:PORT too if that is right\nit is not listed\n",
      arrived: ["1.2.3.4"],
    });
  });

  test("is redirected nowhere: where it is sent to is judged like anything else [SEC-5.network, T13.sandbox, T13.redirects]", async () => {
    const other = await listenOutside();
    const server = createHttpServer((_, response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:${other.port}/secret` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const address = server.address();
    const door = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const command = ["curl", "-sS", "-L", "-m", "10", "--noproxy", "", `http://${door}/`];
    const result = await confined(command, { hosts: [], local: [door] });
    expect(result.stdout).toContain("it is a loopback address");
    expect(other.visitors()).toBe(0);
  });

  test("speaks plain HTTP by the proxy with what it may reach [SEC-5.network]", async () => {
    const door = await listenOutside();
    const local = `127.0.0.1:${door.port}`;
    const command = ["curl", "-sS", "-m", "10", "--noproxy", "", `http://${local}/`];
    expect((await confined(command, { hosts: [], local: [local] })).stdout).toBe("reached");
  });

  test("harms nobody with its line: floods, garbage and half of everything [SEC-5.network, T13.sandbox]", async () => {
    const door = await listenOutside();
    const reach = { hosts: ["good.test"], local: [`127.0.0.1:${door.port}`] };
    const out = await inside(
      reach,
      `const all = await Promise.all(Array.from({ length: 1500 }, (_, index) => status(tunnel("x" + index + ".test:443"))));
       console.log(all.filter((one) => one === "200").length);
       const own = await Promise.all(Array.from({ length: 300 }, () => status(tunnel("127.0.0.1:${door.port}"))));
       console.log(own.filter((one) => one === "200").length);
       await Promise.all(Array.from({ length: 200 }, () => ask(3128, Buffer.alloc(2000, 0xff))));
       await Promise.all(Array.from({ length: 200 }, () => ask(3128, "CONNECT x")));
       await ask(3128, "GET http://x/ HTTP/1.1\\r\\nA: " + "a".repeat(100000) + "\\r\\n\\r\\n");
       console.log((await ask(${door.port}, "GET / HTTP/1.0\\r\\n\\r\\n")).endsWith("reached"));`,
    );
    expect(out.trim().split("\n")).toEqual(["0", "300", "true"]);
    expect(refusals.length).toBeLessThanOrEqual(100);
  });

  test("that ends leaves neither its forwarder nor its connections [SEC-5.network, ENG-6]", async () => {
    let closed = 0;
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("close", () => {
        closed += 1;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const reach = { hosts: [], local: [`127.0.0.1:${port}`] };
    const command = [node, "-e", `require("net").connect(${port}, () => process.exit(7))`];
    expect(await confined(command, reach)).toMatchObject({ exitCode: 7 });
    await expect.poll(() => closed).toBe(1);
    const { stdout } = spawnSync("pgrep", ["-f", `forwarder-main.* 3128 127.0.0.1:${port}`], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });

  test("is told apart by its exit: code and signal are those of the program itself [AGT-13]", async () => {
    const reach = { hosts: ["good.test"], local: [] };
    expect(await confined(["/bin/sh", "-c", "exit 9"], reach)).toMatchObject({ exitCode: 9 });
    const killed = await confined(["/bin/sh", "-c", "kill -KILL $$"], reach);
    expect(killed).toMatchObject({ exitCode: 137 });
  });
});
