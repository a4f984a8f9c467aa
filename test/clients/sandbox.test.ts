import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ClientUser, createClientUser, eventsOf } from "./client-user.ts";
import { clientsFolder } from "./install-client.ts";
import { type Step, scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

const PATIENCE_MS = 240_000;
const SECRET = "planted-where-credentials-are";
// Finds the secret and does not hold it.
const PATTERN = "planted-where-[c]redentials";
const clients = ["claude", "codex", "gemini"] as const satisfies readonly ClientName[];

/** A workflow with one confined agent that does these things, one turn of the model each. */
function confined(client: ClientName, ...steps: readonly Step[]): string {
  return JSON.stringify({
    name: "confined",
    context: {},
    agents: { [client]: { backend: client, isolation: "sandbox" } },
    kickoff: `@${client} go on\n\`\`\`\n${scriptText(...steps, { text: "DONE" })}\n\`\`\``,
  });
}

const shell = (command: string): Step => ({ calls: [{ shell: command }] });

/** Something on this machine that no agent is told of, and that says so when it is reached. */
async function listener(): Promise<{ readonly port: number; readonly reached: () => number }> {
  let reached = 0;
  const server: Server = createServer((_, response) => {
    reached += 1;
    response.end("reached");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, reached: () => reached };
}

/** Files in the person's home that open other doors. */
function plant(user: ClientUser): string {
  const home = join(dirname(user.cwd), "home");
  for (const name of [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml"]) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), SECRET);
  }
  return home;
}

test.for(clients)(
  "%s works in a sandbox: with its model, its shell and Troupe's tools, and with nothing else of this machine [SEC-5.network, AGT-13, T13.sandbox]",
  {
    timeout: PATIENCE_MS,
  },
  async (client, context) => {
    const other = await listener();
    const user = await createClientUser(context, {
      clients: [client],
      files: {},
      // The program of a test is no program of PATH: its own files have to be named.
      read: [clientsFolder()],
    });
    const home = plant(user);
    const steps = [
      shell("echo made > made.txt; node -e 0; echo it is over"),
      shell(
        [
          `curl -s -m 5 http://127.0.0.1:${other.port}/`,
          `curl -s -m 5 --noproxy "" -x "$HTTP_PROXY" http://127.0.0.1:${other.port}/`,
          `grep -rs '${PATTERN}' ${home}`,
          "echo it is over",
        ].join("; "),
      ),
      { calls: [{ tool: "channel_send", args: { message: "all is well: $RESULT" } }] },
    ];
    writeFileSync(join(user.cwd, "w.yaml"), confined(client, ...steps));
    const ended = await user.type("run", "w.yaml");
    expect(ended, JSON.stringify(eventsOf(user.events(), "turn-failed").slice(0, 1))).toMatchObject(
      { exitCode: 0, err: "" },
    );
    expect(readFileSync(join(user.cwd, "made.txt"), "utf8")).toBe("made\n");
    const events = user.events();
    const posted = eventsOf(events, "message-posted").filter(({ from }) => from === client);
    expect(posted.map(({ text }) => text)).toEqual([expect.stringContaining("it is over")]);
    expect(eventsOf(events, "agent-placed")).toMatchObject([{ isConfined: true }]);
    expect(JSON.stringify([events, user.asked(client)]).includes(SECRET)).toBe(false);
    expect(other.reached()).toBe(0);
    const refused = eventsOf(events, "place-breached").flatMap(({ breaches }) => breaches);
    expect(refused).toContainEqual(
      expect.objectContaining({ rule: "network", path: `127.0.0.1:${other.port}` }),
    );
    expect(await user.living()).toEqual([]);
  },
);

test("opencode, which does not work without the rest of the machine, is refused by its name [SEC-5.refused]", async (context) => {
  const user = await createClientUser(context, { clients: ["opencode"], files: {} });
  writeFileSync(join(user.cwd, "w.yaml"), confined("opencode"));
  const ended = await user.type("run", "w.yaml");
  expect(ended.exitCode).toBe(4);
  expect(`${ended.out}${ended.err}`).toContain(
    "the program of backend opencode is not known to work in one",
  );
});
