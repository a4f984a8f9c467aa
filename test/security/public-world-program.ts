import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHost } from "../../src/host/host.ts";
import { confinement } from "../host/confinement.ts";

// Runs in a network namespace whose loopback answers for a public address. A confined curl asks for a listed name
// there; the name means this machine as soon as it was resolved once. Prints what curl got, and where it arrived.

const PUBLIC_ADDRESS = "1.2.3.4";
const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-public-")));
const { PATH = "" } = process.env;
const answers = [PUBLIC_ADDRESS];
const arrived: unknown[] = [];
const server = createServer(({ socket }, response) => {
  arrived.push(socket.localAddress);
  response.setHeader("Connection", "close").end("public");
});
await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
const address = server.address();
const port = typeof address === "object" ? address?.port : 0;
const host = createHost({
  run: "run_a",
  clock: systemClock,
  env: { PATH },
  reaper: false,
  resolveName: async () => [answers.shift() ?? "127.0.0.1"],
});
const url = `http://good.test:${port}/`;
const { stdout, stderr } = await host.run(
  {
    command: [
      "/bin/sh",
      "-c",
      `curl -sS -m 10 ${url}; curl -sS -m 10 ${url}; curl -sS -m 10 http://other.test:${port}/`,
    ],
    cwd: root,
    env: { PATH },
    confine: confinement({
      home: root,
      writable: [root],
      network: { hosts: [`good.test:${port}`], local: [] },
    }),
  },
  new AbortController().signal,
);
await host.close();
server.close();
rmSync(root, { recursive: true });
process.stdout.write(
  JSON.stringify({ said: `${stdout}${stderr}`.replaceAll(String(port), "PORT"), arrived }),
);
