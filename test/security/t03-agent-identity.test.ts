import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createVictim, type Victim } from "./victim.ts";

// Shows the way in that a program was given, in a file of the attempt's own name, and waits to be let go on.
const SHOW = `name=$1-$TROUPE_ATTEMPT
printf '%s %s' "$TROUPE_CONTEXT_TOKEN" "$TROUPE_CONTEXT_SOCKET" > $name.tmp
mv $name.tmp $name
while [ ! -e $name.go ]; do sleep 0.05; done
[ $name != bob-1 ]
`;

const TEAM = `name: team
pattern: dag
agents:
  - { id: ada, backend: command, command: ["sh", "show.sh", "ada"] }
  - { id: bob, backend: command, command: ["sh", "show.sh", "bob"] }
steps:
  - { id: first, agent: ada }
  - { id: second, agent: bob, maxRetries: 1 }
`;

interface Door {
  readonly token: string;
  readonly socketPath: string;
}

async function doorOf({ project }: Victim, name: string): Promise<Door> {
  await expect.poll(() => existsSync(join(project, name))).toBe(true);
  const text = readFileSync(join(project, name), "utf8");
  const [token = "", socketPath = ""] = text.split(" ");
  return { token, socketPath };
}

/** Sends a message as whoever the token says; what came back. */
function send(
  { token, socketPath }: Door,
  headers: { readonly [name: string]: string } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      method: "POST",
      path: "/tools/channel_send",
      agent: false,
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        ...headers,
      },
    });
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ message: "hello" }));
  });
}

test("a program is who its token says, and a token dies with its attempt [MCP-3, T3, P24.tokens]", async () => {
  const victim = createVictim({ "team.yaml": TEAM, "show.sh": SHOW });
  const go = (name: string) => writeFileSync(join(victim.project, `${name}.go`), "");
  const running = victim.start("run", "team.yaml", "x", "--json");
  const [ada, first] = [await doorOf(victim, "ada-1"), await doorOf(victim, "bob-1")];
  expect(ada.token).not.toBe(first.token);
  for (const name of ["ada", "bob", "system", "user", "anonymous", "ADA"]) {
    const { status } = await send(first, { "X-Agent-Id": name });
    expect([name, status]).toEqual([name, name === "bob" ? 200 : 403]);
  }
  for (const token of ["", "tcx_", `tcx_${"A".repeat(43)}`, `${first.token}x`, "undefined"])
    expect((await send({ ...first, token })).status).toBe(401);
  expect((await send(ada)).status).toBe(200);

  go("bob-1");
  const second = await doorOf(victim, "bob-2");
  expect(second.token).not.toBe(first.token);
  expect((await send(first)).status).toBe(401);
  expect((await send(second)).status).toBe(200);
  go("ada-1");
  go("bob-2");
  const ended = await running.ended;
  const events = ended.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const posted = events.filter(({ type, text }) => type === "message-posted" && text === "hello");
  expect(posted.map(({ from }) => from)).toEqual(["bob", "ada", "bob"]);
  expect(ended.out).not.toContain("tcx_");
});
