import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { grantTrust } from "../../../src/app/machine/trust/trust-store.ts";
import {
  listChatCommands,
  projectChatCommands,
  sayingOf,
} from "../../../src/app/workflow/chat-commands.ts";
import { type ConfigProject, createConfigProject } from "../machine/config/config-project.ts";

function project(files: { readonly [path: string]: string }): ConfigProject {
  const made = createConfigProject();
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  return made;
}

/** Trusts all commands of a project with the content that they have now. */
function trust({ root, env, machine }: ConfigProject): void {
  const agentFiles = Object.fromEntries(
    projectChatCommands(machine()).map(({ path, hash = "" }) => [path, hash]),
  );
  const trustedAt = "2026-01-01T00:00:00.000Z";
  grantTrust(env, { directory: root, hash: "", agentFiles, trustedAt });
}

const say = ({ machine }: ConfigProject, name: string, backend = "claude") =>
  sayingOf(machine(), { name, rest: "", words: [], backend });

describe("commands of files", () => {
  test("are those of the project, then of the user, each in .troupe before .claude [CHAT-1.more]", () => {
    const made = project({
      "project/.troupe/commands/a.md": "a of troupe",
      "project/.claude/commands/a.md": "a of claude",
      "project/.claude/commands/b.md": "b of claude",
      "home/.config/troupe/commands/b.md": "b of the user",
      "home/.claude/commands/c.md": "c of the user",
      "project/.claude/commands/readme.txt": "no command",
      "project/.claude/commands/deep/d.md": "none of this directory",
      "project/.claude/commands/bad name.md": "none that one could write",
    });
    trust(made);
    const texts = ["a", "b", "c", "d", "readme"].map((name) => say(made, name)?.text);
    expect(texts).toEqual(["a of troupe", "b of claude", "c of the user", undefined, undefined]);
    expect(listChatCommands(made.machine()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  test("of a project take effect only with the content that was trusted; nothing of others is shown [CHAT-1.more, T18]", () => {
    const made = project({
      "project/.claude/commands/x.md": "---\ndescription: SECRET ORDER\n---\nsay x",
    });
    expect(() => say(made, "x")).toThrow(
      expect.objectContaining({
        code: "CHAT_COMMAND_UNTRUSTED",
        message: expect.stringContaining("/x of .claude/commands/x.md cannot be used"),
      }),
    );
    expect(JSON.stringify(listChatCommands(made.machine()))).not.toContain("SECRET ORDER");
    trust(made);
    expect(say(made, "x")?.text).toBe("say x");
    made.write("project/.claude/commands/x.md", "say something else");
    expect(() => say(made, "x")).toThrow(/the file has changed since/);
    const once = made.machine({ trustsProject: true });
    expect(sayingOf(once, { name: "x", rest: "", words: [], backend: "" })?.text).toBe(
      "say something else",
    );
  });

  test("that lead elsewhere, are no text or too long are refused and never read [CHAT-1.more, T8]", () => {
    const made = project({
      "home/private.md": "the key",
      "project/.claude/commands/long.md": "x".repeat(262_145),
    });
    const commands = join(made.root, ".claude/commands");
    symlinkSync(join(made.home, "private.md"), join(commands, "link.md"));
    writeFileSync(join(commands, "bytes.md"), Buffer.from([0xff, 0xfe, 0x00]));
    mkdirSync(join(commands, "folder.md"));
    trust(made);
    const trusted = { ...made, machine: () => made.machine({ trustsProject: true }) };
    for (const [name, problem] of [
      ["link", /a link that leads out of its directory/],
      ["long", /more than 256 KiB/],
      ["bytes", /not UTF-8 text/],
      ["folder", /not a regular file/],
    ] as const)
      expect(() => say(trusted, name)).toThrow(problem);
  });

  test("narrow the tools of their turn, and choose a model where that means something [CHAT-1.more]", () => {
    const made = project({
      "home/.claude/commands/small.md":
        "---\nmodel: haiku\nallowed-tools: Read, Bash(git log:*)\n---\nlook",
      "home/.claude/commands/words.md": "first $1",
    });
    const tools = ["Read", "Bash(git log *)"];
    expect(say(made, "small")?.terms).toEqual({ model: "haiku", tools });
    expect(say(made, "small", "codex")?.terms).toEqual({ tools });
    const open = { name: "words", rest: '"open', words: undefined, backend: "codex" };
    expect(() => sayingOf(made.machine(), open)).toThrow(
      expect.objectContaining({ code: "CHAT_COMMAND_ARGUMENTS" }),
    );
  });
});
