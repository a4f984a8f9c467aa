import { describe, expect, test } from "vitest";
import { fillChatCommand } from "../../../src/workflows/chat-commands/chat-command.ts";
import { readChatCommand } from "../../../src/workflows/chat-commands/read-chat-command.ts";

const read = (text: string) => readChatCommand(text, { name: "fix", file: "commands/fix.md" });
const problem = (text: string) => {
  const reading = read(text);
  return "error" in reading ? [reading.error.code, reading.error.message] : reading;
};

describe("the file of a command", () => {
  test("says what it is about, what it takes, which model and which tools its turn has [CHAT-1.more]", () => {
    const text = `---
description: Fix an issue
argument-hint: [number, priority]
model: claude-haiku-4-5
allowed-tools: Read, Bash(git add:*), Bash(git commit -m *)
---

Fix issue $1.
`;
    expect(read(text)).toEqual({
      command: {
        ...{ name: "fix", file: "commands/fix.md", body: "Fix issue $1." },
        ...{ description: "Fix an issue", argumentHint: "[number] [priority]" },
        model: "claude-haiku-4-5",
        tools: ["Read", "Bash(git add *)", "Bash(git commit -m *)"],
      },
    });
  });

  test("needs no head, and without allowed-tools its turn has the tools of its agent [CHAT-1.more]", () => {
    expect(read("\uFEFFlook around\r\n")).toMatchObject({
      command: { body: "look around", tools: undefined, model: undefined },
    });
    expect(read("---\nmodel: inherit\nallowed-tools: [Read, Grep]\n---\nx")).toMatchObject({
      command: { model: undefined, tools: ["Read", "Grep"] },
    });
    expect(read("---\nallowed-tools: []\n---\nx")).toMatchObject({ command: { tools: [] } });
  });

  test.each([
    ["look\n!`rm -rf .`\n", "commands/fix.md:2:1: it has a command that would run by itself"],
    ["a\nsee !`git log`", "commands/fix.md:2:5: it has a command that would run by itself"],
    ["!git status\n", "commands/fix.md:1:1: it has a command that would run by itself"],
    ["---\ndescription: x\n---\n  !id", "commands/fix.md:4:1: it has a command that would run"],
    ["---\ndescription: x\n---\n \n", "commands/fix.md:4:1: it has nothing to say"],
    ["---\nallowedTools: Read\n---\nx", "commands/fix.md:2:1: allowedTools is no key of commands"],
    ["---\nallowed-tools: 'Read; rm'\n---\nx", "commands/fix.md:1:1: allowed-tools names no tool"],
    ["---\ndescription: [\n---\nx", "commands/fix.md:"],
    ["---\nmodel: 3\n---\nx", "commands/fix.md:2:8: "],
    ["---\nmodel: &a [*a]\n---\nx", "commands/fix.md:"],
  ])(
    "is refused with its place where it would do more than it says: %j [CHAT-1.more, T18]",
    (text, message) => {
      expect(problem(text)).toEqual(["CHAT_COMMAND_INVALID", expect.stringContaining(message)]);
    },
  );
});

describe("what a command is given", () => {
  const fill = (body: string, rest: string, words: readonly string[] = rest.split(" ")) =>
    fillChatCommand({ body }, rest, words);

  test("takes the place of $ARGUMENTS and of $1 and so on, once and as it is [CHAT-1.more]", () => {
    expect(fill("fix $ARGUMENTS now", "a  b")).toBe("fix a  b now");
    expect(fill("$2 before $1, $10 and $3", "one two")).toBe("two before one,  and ");
    expect(fill("say $1", "$ARGUMENTS $2")).toBe("say $ARGUMENTS");
    expect(fill("$ARGUMENTSX costs $x", "q")).toBe("$ARGUMENTSX costs $x\n\nq");
  });

  test("stands behind a command that takes nothing [CHAT-1.more]", () => {
    expect(fill("look around", "in src")).toBe("look around\n\nin src");
    expect(fill("look around", "", [])).toBe("look around");
  });
});
