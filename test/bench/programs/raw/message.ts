// A line over a unix socket to another process that writes it, waits for the disk and answers: ms.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { withFolder } from "../../figure.ts";
import { latencyArguments, printLatency } from "../../latency.ts";

const [, program = "", , , folderToServe] = process.argv;
if (folderToServe === undefined) await measure();
else serve(folderToServe);

async function measure(): Promise<void> {
  await withFolder(async (folder) => {
    const wanted = latencyArguments();
    const { clients, percentile } = wanted;
    const server = spawn(process.execPath, [program, `${clients}`, `${percentile}`, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(server.stdout, "data");
    const sockets = Array.from({ length: clients + 1 }, () =>
      createConnection(join(folder, "socket")),
    );
    await printLatency(wanted, async (client, message) => {
      const socket = sockets[client];
      socket?.write(`${JSON.stringify({ message, text: "what was found" })}\n`);
      if (socket !== undefined) await once(socket, "data");
    });
    for (const socket of sockets) socket.destroy();
    const ended = once(server, "exit");
    server.kill();
    await ended;
  });
}

/** Lines of one turn of the event loop share one sync. */
function serve(folder: string): void {
  const file = openSync(join(folder, "log"), "w");
  let waiting: { readonly socket: Socket; readonly line: Buffer }[] = [];
  const commit = () => {
    const group = waiting;
    waiting = [];
    for (const { line } of group) writeSync(file, line);
    fdatasyncSync(file);
    for (const { socket } of group) socket.write("ok\n");
  };
  const server = createServer((socket) => {
    socket.on("data", (line) => {
      if (waiting.length === 0) setImmediate(commit);
      waiting.push({ socket, line });
    });
  });
  server.listen(join(folder, "socket"), () => process.stdout.write("ready\n"));
  process.on("SIGTERM", () => {
    closeSync(file);
    process.exit();
  });
}
