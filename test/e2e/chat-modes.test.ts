import { beforeEach, expect, test } from "vitest";
import { scriptText } from "../clients/model-server/script.ts";
import { has } from "../machine.ts";
import { modelProject, openChat } from "./chat-terminal.ts";
import { createProject, troupe } from "./troupe-process.ts";

beforeEach((context) => context.skip(!has("tmux"), "without tmux"));

const ECHO = ["command", "--", "sh", "-c", 'echo "heard: $(cat)"'];
const SHELL = `id: shout
steps:
  - { id: say, type: shell, command: "printf 'shouted'" }
`;

test("/run carries out a workflow beside the chat, and its result goes with what is said next [CHAT-3]", async () => {
  const cwd = createProject({ "shout.yaml": SHELL });
  const { terminal, say } = await openChat(ECHO, { cwd });
  say("/run shout.yaml");
  await terminal.seen(/^Started run: run_\w+$/);
  await terminal.seen(/^Completed: completed/);
  await terminal.seen(/shouted/);
  say("and now?");
  await terminal.seen(/^heard: and now\?$/);
  await terminal.seen(/result of run run_\w+ \(completed\)/);
  say("/run nothing.yaml");
  await terminal.seen(/nothing\.yaml/);
  say("/run");
  await terminal.seen(/USAGE_INVALID/);
});

test("/collab lets the agent of the chat call in others, and tells what they came to [CHAT-3]", async () => {
  const { cwd, env } = await modelProject();
  const { terminal, say } = await openChat(["model", "--model", "anthropic/scripted"], {
    cwd,
    env,
  });
  const helper = scriptText({ text: "DONE: helped" });
  const goal = scriptText(
    { calls: [{ tool: "spawn_agent", args: { prompt: helper, name: "bo" } }] },
    { calls: [{ tool: "wait", args: { ids: ["bo"] } }] },
    { text: "DONE: together" },
  );
  say(`/collab '${goal}'`);
  await terminal.seen(/^Started collab: run_\w+$/);
  await terminal.seen(/^Completed: completed/);
  await terminal.seen(/^together$/);
  say(scriptText({ text: "heard of it" }));
  await terminal.seen(/^heard of it$/);
});

test("/team lets a leader and workers do it over a list, and tells what they came to [CHAT-3]", async () => {
  const { cwd, env } = await modelProject();
  const { terminal, say } = await openChat(["model", "--model", "anthropic/scripted"], {
    cwd,
    env,
  });
  const task = scriptText({ text: "DONE: painted" });
  const goal = scriptText(
    { calls: [{ tool: "task_create", args: { title: task } }] },
    { text: "it is planned" },
  );
  say(`/team '${goal}' --workers 1`);
  await terminal.seen(/^Started team: run_\w+$/);
  await terminal.seen(/^Completed: completed, 1 of 1 task completed$/);
  await terminal.seen(/^painted$/);
  say("/agents");
  await terminal.seen(/^model model anthropic\/scripted starting/);
  say("/cost");
  await terminal.seen(/more: troupe cost run_/);
});

test("/iter in the background is handed to the daemon, and /cost says what the chat has used [CHAT-3]", async () => {
  const { cwd, env } = await modelProject();
  const { terminal, say } = await openChat(["model", "--model", "anthropic/scripted"], {
    cwd,
    env,
  });
  say(scriptText({ text: "once" }));
  await terminal.seen(/^once$/);
  say("/cost");
  const told = await terminal.seen(/more: troupe cost run_/);
  expect(told).toMatch(/ tok, /);
  say("/inbox");
  await terminal.seen(/^nothing waits for you here$/);
  say("/iter");
  await terminal.seen(/USAGE_INVALID/);
  say("/iter 0 task");
  await terminal.seen(/"0"/);
  say(`/iter --background 1 '${scriptText({ text: "DONE: behind" })}'`);
  const started = await terminal.seen(/^Started iterative task: run_\w+ in the background/);
  const [run = ""] = /run_\w+/.exec(started) ?? [];
  const ended = () => troupe(cwd, ["show", run], env).then(({ out }) => out);
  await expect.poll(ended).toMatch(/completed/);
  await troupe(cwd, ["daemon", "stop"], env);
});
