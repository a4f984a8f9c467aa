import { createServer } from "node:http";
import { fetchPage } from "../../src/agents/backends/model/web/fetch-page.ts";
import { systemClock } from "../../src/foundation/clock.ts";

// Runs in a network namespace whose loopback answers for a public address. A model's WebFetch asks for names there, whose
// meaning changes from one look to the next. Prints what it was told, where it arrived, and how often names were looked up.

const PUBLIC_ADDRESS = "1.2.3.4";
const NEAR = "127.0.0.1";
const meanings = new Map<string, string[][]>([
  ["steady.test", [[PUBLIC_ADDRESS]]],
  ["turns.test", [[PUBLIC_ADDRESS], [NEAR]]],
  ["both.test", [[NEAR, "::1", "10.0.0.1", PUBLIC_ADDRESS]]],
]);
let lookups = 0;
const arrived: string[] = [];
const server = createServer(({ socket, url }, response) => {
  arrived.push(`${socket.localAddress} ${url}`);
  const location = new Map([
    ["/on", "/"],
    ["/in", `http://${NEAR}:${port}/secret`],
    ["/metadata", "http://169.254.169.254/latest"],
    ["/beside", `http://other.test:${port}/secret`],
  ]).get(url ?? "");
  response.setHeader("Connection", "close");
  if (location === undefined) response.writeHead(200, { "content-type": "text/plain" });
  else response.writeHead(302, { location });
  response.end("public");
});
await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
const address = server.address();
const port = typeof address === "object" ? address?.port : 0;

const ports = {
  clock: systemClock,
  reach: { hosts: "public", local: [] },
  resolveName: async (name: string) => {
    lookups += 1;
    const answers = meanings.get(name) ?? [];
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  },
} as const;
const told: string[] = [];
for (const page of [
  ...["steady.test/", "both.test/"],
  ...["steady.test/on", "steady.test/in", "steady.test/metadata", "steady.test/beside"],
  // Public for the first request, this machine for the one that it sends on to, and from then on.
  ...["turns.test/on", "turns.test/"],
]) {
  const [name = "", path] = page.split("/");
  const url = `http://${name}:${port}/${path}`;
  const { signal } = new AbortController();
  told.push(
    await fetchPage(url, ports, signal).then(
      ({ text }) => text,
      (error: unknown) => String(error),
    ),
  );
}
server.close();
process.stdout.write(JSON.stringify({ told, arrived, lookups }).replaceAll(String(port), "PORT"));
