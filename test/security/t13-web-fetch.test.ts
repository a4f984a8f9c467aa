import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fetchPage } from "../../src/agents/backends/model/web/fetch-page.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { resolveByMachine } from "../../src/host/egress/dial-target.ts";

// A model fetches pages by Troupe's own connections: whatever it writes, and whatever a name or a page makes of it.

/** This machine, as parsers of addresses let it be written. */
const NEAR = [
  ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1"],
  ...["017700000001", "127.0.0.2", "127.255.255.254", "127.0.0.1.", "0.0.0.0", "0", "0x0"],
  ...["%31%32%37.0.0.1", "１２７.0.0.1", "①②⑦.⓪.⓪.①", "localhost", "LocalHost.", "a.localhost"],
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]"],
  ...["[2002:7f00:1::]", "[2001:0:7f00:1::]", "[::ffff:0:127.0.0.1]"],
];

/** Networks around it, and what clouds tell their machines. */
const AROUND = [
  ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "0xa000001"],
  ...["[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[::ffff:10.0.0.1]"],
  ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"],
  ...["[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]"],
  ...["[fd00:ec2::254]", "[fe80::a9fe:a9fe]", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
  ...["255.255.255.255", "224.0.0.1"],
];

/** A server on all addresses of this machine that counts who comes. */
async function listenEverywhere(): Promise<{
  readonly port: number;
  readonly visitors: () => number;
}> {
  let visitors = 0;
  const server = createServer((socket) => {
    visitors += 1;
    socket.on("error", () => {}).resume();
    socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 7\r\n\r\nreached");
  });
  const listen = (host: string) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, host, () => resolve());
    });
  await listen("::").catch(() => listen("0.0.0.0"));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, visitors: () => visitors };
}

function ask(url: string, resolveName = resolveByMachine): Promise<string> {
  const reach = { hosts: "public", local: [] } as const;
  const ports = { clock: systemClock, reach, resolveName };
  return fetchPage(url, ports, new AbortController().signal).then(
    ({ text }) => `got ${text}`,
    (error: unknown) => `${error}`,
  );
}

test("WebFetch reaches neither this machine nor the networks around it, however their addresses are written [T13.web]", async () => {
  const { port, visitors } = await listenEverywhere();
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address, family }) => (family === "IPv6" ? `[${address.split("%")[0]}]` : address));
  const looked: string[] = [];
  for (const host of [...NEAR, ...AROUND, ...own]) {
    const answer = await ask(`http://${host}:${port}/`, async (name) => {
      looked.push(name);
      return ["127.0.0.1"];
    });
    expect([host, answer]).toEqual([
      host,
      expect.stringMatching(/is not fetched: |expected an addr/),
    ]);
  }
  expect([visitors(), looked]).toEqual([0, []]);
});

test("WebFetch reaches no name that leads to this machine or the networks around it [T13.web]", async () => {
  const { port, visitors } = await listenEverywhere();
  for (const address of [
    ...["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1"],
    ...["64:ff9b::7f00:1", "2002:7f00:1::", "10.0.0.1", "192.168.1.1", "fd00::1", "fe80::1"],
    ...["fe80::1%lo", "169.254.169.254", "::ffff:169.254.169.254", "not an address", ""],
  ]) {
    const answer = await ask(`http://near.example:${port}/`, async () => [address, address]);
    expect([address, answer]).toEqual([address, expect.stringContaining("is not fetched: near.")]);
  }
  expect(await ask(`http://near.example:${port}/`, async () => [])).toContain("no address");
  // What this machine itself says of its own name.
  expect(await ask(`http://localhost.localdomain:${port}/`)).not.toContain("got");
  expect(visitors()).toBe(0);
});

test("what a name meant when it was judged is where WebFetch goes, and a redirect is judged anew [T13.rebinding, T13.redirects]", ({
  skip,
}) => {
  const world = "ip link set lo up && ip route add local 1.2.3.0/24 dev lo";
  const inWorld = (command: string) =>
    spawnSync("unshare", ["-rn", "/bin/sh", "-c", `${world} && ${command}`], { encoding: "utf8" });
  if (inWorld("true").status !== 0) skip("no network of its own can be made here");
  const program = join(import.meta.dirname, "public-web-program.ts");
  const { stdout, stderr } = inWorld(`exec "${realpathSync(process.execPath)}" "${program}"`);
  expect(stderr).toBe("");
  const { told, arrived, lookups } = JSON.parse(stdout);
  const near = "turns.test is at 127.0.0.1: list 127.0.0.1:PORT too if that is right";
  expect(told).toEqual([
    ...["public", "public", "public"],
    expect.stringContaining("sends on to another host: http://127.0.0.1:PORT/secret"),
    expect.stringContaining("sends on to another host: http://169.254.169.254/latest"),
    expect.stringContaining("sends on to another host: http://other.test:PORT/secret"),
    expect.stringContaining(near),
    expect.stringContaining(near),
  ]);
  expect(arrived).toEqual([
    ...["1.2.3.4 /", "1.2.3.4 /", "1.2.3.4 /on", "1.2.3.4 /"],
    ...["1.2.3.4 /in", "1.2.3.4 /metadata", "1.2.3.4 /beside", "1.2.3.4 /on"],
  ]);
  // One look for each connection, none between the judgement and the connection.
  expect(lookups).toBe(10);
});
