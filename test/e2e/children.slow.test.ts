import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { strideOf } from "../cases.ts";
import { has } from "../machine.ts";
import { openChat } from "./chat-terminal.ts";
import { createUser, type DaemonUser } from "./daemon-user.ts";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

// Agents that the only agent of a file spawns, in every way in which such a file is carried out.

const TEAM = "name: team\ncontext:\nagents: { ann: { backend: script, spawns: true } }\n";
const GO = "kickoff: go @ann\n";

/** Ann gives a task, in the background or not, and says what she has heard of it; then whatever she is asked. */
function turns(way: "a task" | "a task in the background"): string {
  const input = { description: "look", prompt: "Where?", name: "kid" };
  const task = (more: object) => ({ call: { tool: "Task", arguments: { ...input, ...more } } });
  const heard = { expect: "under the stone", say: "I have heard" };
  const first =
    way === "a task"
      ? [{ do: [task({})], say: "I have heard" }]
      : [{ do: [task({ run_in_background: true })], say: "I go on" }, heard];
  const again = { expect: "still there", say: "I am still here" };
  const kid = [{ after: "500ms", say: "under the stone" }];
  return JSON.stringify({ version: 1, agents: { ann: [...first, again], kid } });
}

const ways = ["a task", "a task in the background"] as const;

/** What the agent of the file and its child have said, in order. */
function saidIn(log: string): readonly unknown[] {
  return log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .flatMap((event) => {
      expect(event.type).not.toBe("turn-interrupted");
      return event.type === "turn-completed" ? [event.text] : [];
    });
}

const WHOLE = {
  "a task": ["under the stone", "I have heard"],
  "a task in the background": ["I go on", "under the stone", "I have heard"],
} as const;

const rows = ["run", "start", "start --background", "chat"]
  .flatMap((entry) => ways.map((way) => ({ entry, way })))
  .filter((_, index) => index % strideOf(2) === 0 || index === 3)
  .filter(({ entry }) => entry !== "chat" || has("tmux"));

test.each(rows)(
  "$way of the only agent of a file leaves $entry going: it hears what came of it, and can be written to afterwards [KCK-9.participants, KCK-9.background, KCK-9.modes, SUB-6]",
  async ({ entry, way }) => {
    const files = { "team.yaml": TEAM + (entry === "chat" ? "" : GO), "turns.json": turns(way) };
    await ENTRIES[entry]?.(files, WHOLE[way]);
  },
);

type Play = (files: { readonly [name: string]: string }, whole: readonly string[]) => Promise<void>;

const ENTRIES: { readonly [entry: string]: Play } = {
  run: async (files, whole) => {
    const cwd = createProject(files);
    const ended = await troupe(cwd, ["run", "team.yaml", "--cassette", "turns.json", "--json"]);
    expect(ended).toMatchObject({ exitCode: 0, err: "" });
    expect(saidIn(ended.out)).toEqual(whole);
  },
  start: async (files) => {
    const user = userWith(files);
    const started = user.start("start", "team.yaml", "--cassette", "turns.json");
    await started.seen(/I have heard/);
    await user.type("send", "ann", "still there?");
    await started.seen(/I am still here/);
    await user.type("stop", "@default");
    expect(await started.ended).toMatchObject({ exitCode: 0 });
  },
  // The daemon is killed while the child works.
  "start --background": async (files) => {
    const user = userWith(files);
    await user.type("start", "team.yaml", "--background", "--cassette", "turns.json");
    const logs = async () => (await user.type("logs", "--json")).out;
    await expect.poll(logs).toContain('"agent":"kid","turn":1');
    process.kill((await user.daemonPid()) ?? 0, "SIGKILL");
    await user.type("daemon", "start");
    await expect.poll(logs).toContain("I have heard");
    await user.type("send", "ann", "still there?");
    await expect.poll(logs).toContain("I am still here");
    expect((await user.type("stop", "@default")).exitCode).toBe(0);
    expect(await logs()).toContain('"outcome":"completed"');
  },
  chat: async (files) => {
    const cwd = createProject(files);
    const { terminal, say } = await openChat(["team.yaml", "--cassette", "turns.json"], { cwd });
    say("go @ann");
    await terminal.seen(/I have heard/);
    say("still there, @ann?");
    await terminal.seen(/I am still here/);
  },
};

function userWith(files: { readonly [name: string]: string }): DaemonUser {
  const user = createUser();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(user.cwd, name), text);
  return user;
}

test("an agent of a child workflow waits for whom it has spawned as if nothing were around it [KCK-9.modes, ENG-12]", async () => {
  const cwd = createProject({
    "team.yaml": TEAM + GO,
    "around.yaml":
      "id: around\nsteps:\n  - { id: inner, type: workflow, file: team.yaml, with: {} }\n",
    "turns.json": turns("a task in the background"),
  });
  const args = ["run", "around.yaml", "--cassette", "turns.json", "-q"];
  const ended = await startTroupe(cwd, args).ended;
  expect(ended).toMatchObject({ exitCode: 0, err: "" });
  expect(ended.out).toContain("I have heard");
});
