import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Starts a server with its files in `folder`, and makes the services at the port known to it. */
export async function startRestate(folder, servicePort) {
  const platform = `restate-server-${process.platform}-${process.arch}`;
  const packages = join(process.env.TROUPE_BENCH_PEERS, "node_modules", "@restatedev");
  const binary = join(packages, platform, "bin", "restate-server");
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  const server = spawn(binary, ["--base-dir", folder, "--no-logo", "--listen-mode=tcp"], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      RESTATE_NODE_NAME: "bench",
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error",
      RESTATE_LOG_DISABLE_ANSI_CODES: "true",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await untilAccepted(server, () =>
    post(admin, "deployments", { uri: `http://127.0.0.1:${servicePort}` }),
  );
  return {
    call: (path) => untilAccepted(server, () => post(ingress, path)),
    async stop() {
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    },
  };
}

/** A server that starts refuses connections, then calls of services that it does not know yet. */
async function untilAccepted(server, work) {
  for (let attempt = 0; server.exitCode === null && attempt < 600; attempt += 1) {
    const answer = await work();
    if (answer !== undefined) return answer;
    await setTimeout(50);
  }
  throw new Error("the server does not answer");
}

/** The answer, or nothing where it is too early to ask. */
async function post(port, path, body) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => undefined);
  if (response?.ok) return response.json();
  if (response !== undefined && ![404, 503].includes(response.status)) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  return undefined;
}

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
