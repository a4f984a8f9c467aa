import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { takesAll } from "../cases.ts";
import { createClientUser, eventsOf } from "./client-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

/** Every day the quick ones: opencode takes a minute to start three times. */
const CLIENTS: readonly ClientName[] = takesAll()
  ? ["claude", "codex", "gemini", "opencode"]
  : ["claude", "codex", "gemini"];

/** Two steps of one agent, so that its program is opened and then used again. */
function workflow(client: ClientName): string {
  const prompt = JSON.stringify(scriptText({ text: "DONE: all" }));
  return `name: w
pattern: pipeline
agents: [{ id: a, cli: ${client} }]
steps:
  - { id: one, agent: a, prompt: ${prompt} }
  - { id: two, agent: a, prompt: ${prompt}, dependsOn: [one] }
`;
}

/** A program that is killed at its first two starts, whatever asks for its version, and is the client from then on. */
function killedTwice() {
  const folder = mkdtempSync(join(tmpdir(), "troupe-opening-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [script, starts] = [join(folder, "start.sh"), join(folder, "starts")];
  writeFileSync(
    script,
    `case "$*" in *--version*) exec "$@" ;; esac
echo start >> ${starts}
if [ $(wc -l < ${starts}) -le 2 ]; then kill -9 $$; fi
exec "$@"
`,
  );
  return {
    wrap: (command: readonly string[]) => ["sh", script, ...command],
    starts: () => readFileSync(starts, "utf8").trim().split("\n").length,
  };
}

/** An address that hangs up on the first connections, and leads to the scripted model from then on. */
async function hangingUp(times: number) {
  let taken = 0;
  let target = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    taken += 1;
    if (taken <= times) return socket.destroy();
    const there = connect(target, "127.0.0.1");
    sockets.add(there);
    there.on("error", () => socket.destroy());
    return socket.pipe(there).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    taken: () => taken,
    reach: (modelUrl: string) => {
      const url = new URL(modelUrl);
      target = Number(url.port);
      url.port = String(port);
      return url.href;
    },
  };
}

test.for(CLIENTS)(
  "%s that is killed twice while it opens is started again, and is given each prompt once [AGT-7.opening]",
  async (client, context) => {
    const { wrap, starts } = killedTwice();
    const files = { "w.yaml": workflow(client) };
    const user = await createClientUser(context, { clients: [client], files, wrap });
    expect(await user.type("run", "w.yaml")).toMatchObject({ exitCode: 0 });
    expect(starts()).toBeGreaterThan(2);
    const events = user.events();
    expect(eventsOf(events, "log").filter(({ level }) => level === "warning")).toHaveLength(2);
    expect(eventsOf(events, "turn-started").map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(eventsOf(events, "turn-completed")).toHaveLength(2);
    expect(user.asked(client)).toHaveLength(2);
  },
);

test.for(CLIENTS)(
  "%s outlives a server that is away for its first three requests [AGT-7.opening]",
  async (client, context) => {
    const { reach, taken } = await hangingUp(3);
    const files = { "w.yaml": workflow(client) };
    const user = await createClientUser(context, { clients: [client], files, reach });
    expect(await user.type("run", "w.yaml")).toMatchObject({ exitCode: 0 });
    expect(taken()).toBeGreaterThan(3);
    expect(eventsOf(user.events(), "turn-completed")).toHaveLength(2);
  },
);
