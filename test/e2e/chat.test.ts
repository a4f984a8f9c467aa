import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { has } from "../machine.ts";
import { killChat, openChat } from "./chat-terminal.ts";
import { createProject, troupe } from "./troupe-process.ts";

beforeEach((context) => context.skip(!has("tmux"), "without tmux"));

// Says something, and the rest only when somebody writes into the pipe.
const SLOW = 'text=$(cat); echo "first of $text"; cat go > /dev/null; echo "second of $text"';
const ASKS = `version: 1
agents:
  script:
    - do:
        - permission: { tool: Bash, input: { command: "git push origin main" } }
        - ask: "Which branch?"
      say: "pushed it"
`;
const TEAM = `name: pair
agents:
  ann: { backend: command, command: [sh, -c, 'echo "ann heard $(cat)"'] }
  bo: { backend: command, command: [sh, -c, 'echo "bo heard $(cat)"'] }
context: false
`;

async function chat(args: readonly string[], { columns = 100, cwd = projectWithPipe() } = {}) {
  const opened = await openChat(args, { cwd, columns });
  return {
    ...opened,
    letGo: () => execFileSync("sh", ["-c", `echo > '${join(cwd, "go")}'`]),
  };
}

function projectWithPipe(): string {
  const cwd = createProject({
    "slow.sh": SLOW,
    "turns.yaml": ASKS,
    "pair.yaml": TEAM,
    "notes.txt": "note one\n",
  });
  execFileSync("mkfifo", [join(cwd, "go")]);
  return cwd;
}

const SLOWLY = ["command", "--", "sh", "slow.sh"];

test("what an agent says is seen while it says it, esc cuts it off, and what was said meanwhile follows [CHAT-1, CHAT-2]", async () => {
  const { terminal, say, letGo } = await chat(SLOWLY);
  say("hello");
  await terminal.seen(/^first of hello$/);
  await terminal.seen(/esc interrupts/);
  say("next");
  await terminal.seen(/then: next/);
  terminal.press("Escape");
  await terminal.seen(/○ command was interrupted/);
  await terminal.seen(/^first of next$/);
  letGo();
  await terminal.seen(/^second of next$/);
  await terminal.seen(/enter sends/);
  expect(terminal.history().filter((line) => line === "second of hello")).toEqual([]);
  terminal.press("C-d");
  await terminal.seen(/^go on: .* chat --resume run_\w+$/);
  await terminal.seen(/^exit=0$/);
});

test("esc twice forgets what waits to be said, and ctrl-c twice leaves [CHAT-2]", async () => {
  const { terminal, say } = await chat(SLOWLY);
  say("hello");
  await terminal.seen(/^first of hello$/);
  say("never");
  await terminal.seen(/then: never/);
  terminal.press("Escape", "Escape");
  await terminal.gone(/then: never/);
  await terminal.seen(/○ command was interrupted/);
  await terminal.seen(/enter sends|forgotten/);
  terminal.press("C-c");
  await terminal.seen(/ctrl-c again leaves/);
  terminal.press("C-c");
  await terminal.seen(/^exit=0$/);
  expect(terminal.history().filter((line) => /of never/.test(line))).toEqual([]);
});

test("a permission is given and a question is answered in place, and a paste of many lines is one text [CHAT-1]", async () => {
  const { terminal, say } = await chat(["script", "--cassette", "turns.yaml"]);
  terminal.paste("push\nthe branch");
  await terminal.seen(/^ {2}the branch▏$/);
  terminal.press("Enter");
  await terminal.seen(/▲ permission of script/);
  await terminal.seen(/git push origin main/);
  terminal.type("y");
  await terminal.seen(/▲ question of script/);
  say("main");
  await terminal.seen(/^pushed it$/);
  expect(terminal.history()).toEqual(expect.arrayContaining(["> push", "  the branch"]));
  terminal.press("Up");
  await terminal.seen(/^> main▏$/);
});

test.each([60, 80, 120, 200])(
  "at %d columns, and when it gets another width, a chat keeps its picture in bounds [CHAT-1]",
  async (columns) => {
    const { terminal, say } = await chat(SLOWLY, { columns });
    say(`long ${"word ".repeat(60)}end`);
    await terminal.seen(/esc interrupts/);
    for (const width of [60, 200, columns]) {
      terminal.resize(width, 30);
      // What the terminal itself has wrapped is gone as soon as the picture is painted anew.
      await terminal.gone(new RegExp(`^─{${width}}$`));
      await terminal.seen(new RegExp(`^─{${width - 1}}$`));
      const screen = terminal.screen();
      expect(screen.filter((line) => /^─+$/.test(line))).toHaveLength(1);
      expect(screen.filter((line) => /^> ▏$/.test(line))).toHaveLength(1);
    }
  },
);

test("a chat whose process was killed goes on with --resume: what was said is there, and what was asked is answered [CHAT-1, CHAT-2]", async () => {
  const first = await chat(SLOWLY);
  const { terminal, cwd, say } = first;
  say("remember me");
  await terminal.seen(/^first of remember me$/);
  await killChat(first);
  const second = await chat(["--resume"], { cwd });
  await second.terminal.seen(/^> remember me$/);
  await second.terminal.seen(/^first of remember me$/);
  second.letGo();
  await second.terminal.seen(/^second of remember me$/);
  second.say("/end");
  await second.terminal.seen(/^run_\w+ is completed$/);
});

test("in a team one speaks to the first, and to another by its name; files of the project are shown [CHAT-2, CHAT-3]", async () => {
  const { terminal, say } = await chat(["pair.yaml"]);
  say("read @notes.txt");
  await terminal.seen(/^ann heard read @notes.txt/);
  await terminal.seen(/^note one$/);
  await terminal.seen(/enter sends/);
  say("@bo good morning");
  await terminal.seen(/^bo heard good morning$/);
  say("@zed are you there?");
  await terminal.seen(/^nobody is called @zed, so @ann hears it$/);
  await terminal.seen(/^ann heard @zed are you there\?$/);
  say("/agents");
  await terminal.seen(/^bo command idle/);
});

test("a series is started from a chat, and its result is given to the agent with what is said next [CHAT-3, ITR-names.chat]", async () => {
  const { terminal, say } = await chat(["command", "--", "sh", "-c", 'echo "heard: $(cat)"']);
  say("/iter 2 tidy up");
  await terminal.seen(/^Started iterative task: run_\w+$/);
  await terminal.seen(/^Completed: 2\/2 iterations$/);
  say("what came of it?");
  await terminal.seen(/^heard: what came of it\?$/);
  await terminal.seen(/result of iter run_\w+ \(completed\)/);
  say('/iter 2 "open');
  await terminal.seen(/a quote has no end/);
  say("/nothing");
  await terminal.seen(/there is no command \/nothing/);
});

test("without a terminal a chat is refused, with what to do instead [CHAT-3]", async () => {
  const { exitCode, err } = await troupe(projectWithPipe(), ["chat", "command", "--", "cat"]);
  expect([exitCode, err.includes("a chat needs a terminal"), err.includes("ask @AGENT")]).toEqual([
    2,
    true,
    true,
  ]);
});
