import { beforeEach, expect, test } from "vitest";
import { scriptText } from "../clients/model-server/script.ts";
import { has } from "../machine.ts";
import { killChat, modelProject, openChat } from "./chat-terminal.ts";
import { createProject } from "./troupe-process.ts";

beforeEach((context) => context.skip(!has("tmux"), "without tmux"));

const MODEL = "anthropic/scripted";

async function modelChat(files: { readonly [path: string]: string } = {}, args: string[] = []) {
  const project = await modelProject(files);
  const opened = await openChat(["model", "--model", MODEL, ...args], { ...project, columns: 120 });
  const models = () => project.server.calls().map(({ request }) => request?.model);
  return { ...project, ...opened, models };
}

test("/model says which model is asked and takes another one from the next turn on, also after the death of its process [CHAT-1.more]", async () => {
  const chat = await modelChat();
  const { terminal, say, models } = chat;
  say("/model");
  await terminal.seen(/^@model asks anthropic\/scripted$/);
  say("/model anthropic/other");
  await terminal.seen(/^@model asks anthropic\/other from its next turn on$/);
  say("/model nobody/knows");
  await terminal.seen(/USAGE_INVALID/);
  await killChat(chat);
  const again = await openChat(["--resume"], { cwd: chat.cwd, env: chat.env, columns: 120 });
  again.say(scriptText({ text: "by the other" }));
  await again.terminal.seen(/^by the other$/);
  again.say("/model default");
  await again.terminal.seen(/^@model asks anthropic\/scripted from its next turn on$/);
  again.say(scriptText({ text: "by the first" }));
  await again.terminal.seen(/^by the first$/);
  expect(models()).toEqual(["other", "scripted"]);
});

test("/plan lets an agent change nothing until a person agrees to its plan in place, and /plan off ends it [CHAT-1.more]", async () => {
  const { terminal, say } = await modelChat();
  const touch = { calls: [{ shell: "touch made" }] };
  const leave = { calls: [{ tool: "ExitPlanMode", args: { plan: "touch a file" } }] };
  say(`/plan ${scriptText(touch, leave, { text: "agreed" })}`);
  await terminal.seen(/^@model plans, and changes nothing until you agree/);
  await terminal.seen(/▲ approval of model/);
  await terminal.seen(/touch a file/);
  terminal.type("y");
  await terminal.seen(/^agreed$/);
  say("/plan");
  await terminal.seen(/write \/plan off/);
  say(scriptText(touch, { text: "it was $RESULT" }));
  await terminal.seen(/^it was .*denied/);
  say("/plan off");
  await terminal.seen(/^@model plans no longer/);
  say(scriptText(touch, { text: "over" }));
  await terminal.seen(/▲ permission of model/);
  terminal.type("y");
  await terminal.seen(/^over$/);
});

test("/compact sums a conversation up before the next answer, and programs are told of as they are [CHAT-1.more]", async () => {
  const { terminal, say, server } = await modelChat();
  say(scriptText({ text: "the word is heron" }));
  await terminal.seen(/^the word is heron$/);
  say("/compact now");
  await terminal.seen(/compact takes no text/);
  say("/compact");
  await terminal.seen(/^@model sums up what was said before it answers next/);
  say(scriptText({ text: "and goes on" }));
  await terminal.seen(/^and goes on$/);
  const shown = server.calls().map(({ body }) => body.includes("This is a summary of it"));
  expect(shown).toEqual([false, false, true]);
});

test("/fork goes on in a new chat that begins like this one, which stays as it was [CHAT-1.more]", async () => {
  const { terminal, say, cwd, env, server } = await modelChat();
  say(scriptText({ text: "both know this" }));
  await terminal.seen(/^both know this$/);
  say("/fork");
  const line = await terminal.seen(/^run_\w+ begins like run_\w+, which is left/);
  const [fork = "", source = ""] = line.match(/run_\w+/g) ?? [];
  await terminal.seen(new RegExp(`@model · ${fork}`));
  say(scriptText({ text: "only the fork knows this" }));
  await terminal.seen(/^only the fork knows this$/);
  expect(server.calls().at(-1)?.body).toContain("both know this");
  terminal.press("C-d");
  await terminal.seen(new RegExp(`^go on: troupe chat --resume ${fork}$`));
  const old = await openChat(["--resume", source], { cwd, env, columns: 120 });
  await old.terminal.seen(/^both know this$/);
  expect(old.terminal.history().join("\n")).not.toContain("only the fork");
});

test("what a program or a person cannot do is said, and nothing else changes [CHAT-1.more]", async () => {
  const cwd = createProject({});
  const { terminal, say } = await openChat(["command", "--", "sh", "-c", 'echo "heard $(cat)"'], {
    cwd,
  });
  for (const [line, answer] of [
    ["/plan", /@command is a program of yours: nothing plans in it/],
    ["/model x", /@command is a program of yours: it has no model/],
    ["/compact", /@command is a program of yours: it keeps nothing/],
    ["/model @nobody x", /nobody is called @nobody/],
    ["/modl", /did you mean.*model/],
  ] as const) {
    say(line);
    await terminal.seen(answer);
  }
  say("/fork");
  const fork = await terminal.seen(/begins like/);
  await terminal.seen(new RegExp(`@command · ${fork.split(" ")[0]}`));
  say("hello");
  await terminal.seen(/^heard hello$/);
});

test("a command of a file is said with what it is given, in a turn of its model and tools, and waits while the agent works [CHAT-1.more]", async () => {
  const small = `---
description: look quickly
argument-hint: WHAT
model: anthropic/small
allowed-tools: Read, Bash(touch:*)
---
look at $1 and nothing else`;
  const { terminal, say, server } = await modelChat(
    { ".claude/commands/look.md": small, ".troupe/commands/bad.md": "x\n!`id`\n" },
    ["--trust"],
  );
  say("/help");
  await terminal.seen(/^\/look WHAT +look quickly \(\.claude\/commands\/look\.md\)$/);
  await terminal.seen(/^\/bad +not usable: \.troupe\/commands\/bad\.md:2:1: it has a command/);
  say("/bad");
  await terminal.seen(/CHAT_COMMAND_INVALID/);
  const script = scriptText(
    { delayMs: 1500, calls: [{ shell: "touch made" }] },
    { calls: [{ shell: "touch made; touch more" }] },
    { text: "then $RESULT" },
  );
  say(`/look '${script}'`);
  say(`/look '${scriptText({ text: "second" })}'`);
  await terminal.seen(/then: \/look /);
  await terminal.seen(/▲ permission of model/);
  terminal.type("y");
  await terminal.seen(/^then .*denied/);
  await terminal.seen(/^second$/);
  say(scriptText({ text: "as before" }));
  await terminal.seen(/^as before$/);
  const asked = server.calls().map(({ body }) => {
    const { model, tools } = JSON.parse(body);
    return `${model} ${tools.some(({ name }: { name: string }) => name === "Write")}`;
  });
  expect(asked).toEqual([
    ...["small false", "small false", "small false", "small false", "scripted true"],
  ]);
});

test("a command of a project that nobody trusts is told and not said [CHAT-1.more, T18]", async () => {
  const cwd = createProject({ ".claude/commands/order.md": "DO SOMETHING BAD" });
  const echo = ["command", "--", "sh", "-c", 'echo "heard $(cat)"'];
  const { terminal, say } = await openChat(echo, { cwd });
  say("/order");
  await terminal.seen(/\/order of \.claude\/commands\/order\.md cannot be used/);
  await terminal.seen(/= read .*, then: troupe trust; or once: troupe chat --trust/);
  say("/help");
  await terminal.seen(/^\/order +not usable/);
  say("hello");
  await terminal.seen(/^heard hello$/);
  expect(terminal.history().join("\n")).not.toContain("SOMETHING BAD");
});
