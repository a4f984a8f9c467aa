import { createServer } from "node:net";
import { argv } from "node:process";
import { listenPrivately } from "../../src/host/private-socket.ts";

// Listens at the path of its first argument until it is told to end, and tells when it does.
const server = createServer((socket) => socket.on("error", () => {}).end("no\n"));
const rule = { path: argv[2] ?? "", living: "listens", patienceMs: 0 } as const;
const place = await listenPrivately(server, rule);
process.on("SIGTERM", () => {
  if (place.status === "listening") place.release();
  server.close();
});
process.stdout.write(`${place.status}\n`);
