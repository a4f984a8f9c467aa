import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { constants } from "node:os";
import { carry, createProxyDesk } from "./inner-proxy.ts";
import { createTunnelLine } from "./tunnel-line.ts";

// The program that stands between bubblewrap and a confined program: it listens on the loopback inside and carries
// connections over the line that it inherited. It decides nothing: that is done at the outer end.
// Arguments: port of the proxy, doors (`host:port`, comma between), NODE_OPTIONS of the program, program, its own.

const LINE = 3;
const MAX_CONNECTIONS = 512;
const FAILED = 125;
const PASSED_ON = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR2", "SIGTERM"] as const;

const [, , proxyPort = "", doors = "", nodeOptions = "", program = "", ...args] = process.argv;
const line = createTunnelLine(() => new Socket({ fd: LINE }));

Promise.all([
  listen("127.0.0.1", Number(proxyPort), createProxyDesk(line)),
  ...doors
    .split(",")
    .filter((door) => door !== "")
    .flatMap(openDoor),
]).then(start, fail);

/** A port inside for one address outside. What is called localhost is looked for under both of its addresses. */
function openDoor(door: string): readonly Promise<unknown>[] {
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(door) ?? [];
  const take = (socket: Socket) => carry(socket, door, line);
  if (/^[0-9:]/.test(host)) return [listen(host, Number(port), take)];
  // There may be no IPv6.
  const second = listen("::1", Number(port), take).catch(() => undefined);
  return [listen("127.0.0.1", Number(port), take), second];
}

function listen(host: string, port: number, take: (socket: Socket) => void): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, take);
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen({ host, port }, resolve);
  });
}

/** Starts the program. The line is not among what it inherits: Node hands on no descriptor unasked. */
function start(): void {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const own = "localhost,127.0.0.1,::1";
  const child = spawn(program, args, {
    stdio: "inherit",
    env: {
      ...process.env,
      ...(nodeOptions === "" ? {} : { NODE_OPTIONS: nodeOptions }),
      ...{ HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy, https_proxy: proxy },
      ...{ ALL_PROXY: proxy, all_proxy: proxy, NO_PROXY: own, no_proxy: own },
      NODE_USE_ENV_PROXY: "1",
    },
  });
  child.once("error", fail);
  child.once("exit", (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
}

function fail(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  writeSync(2, `the program could not be started in its sandbox: ${reason}\n`);
  process.exit(FAILED);
}
