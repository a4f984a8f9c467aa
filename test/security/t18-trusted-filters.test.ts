import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createVictim } from "./victim.ts";

const WORKFLOW = `name: w
pattern: fan-out
agents:
  - { id: a, backend: command, isolation: worktree, command: "cat secret.txt > seen.md; echo plain >> secret.txt" }
`;

/** A user whose configuration of git has a filter, and a repository that names it, and one that the repository has. */
function createFiltered() {
  const victim = createVictim({
    ".gitattributes": "secret.txt filter=loud\nevil.txt filter=evil\n",
    ".gitignore": ".troupe\nw.yaml\n",
    "secret.txt": "first\n",
    "evil.txt": "evil\n",
    "w.yaml": WORKFLOW,
  });
  const sprung = join(victim.home, "sprung");
  const user = `[user]\n\tname = Ada \\"L\\" Byron\n\temail = ada@localhost\n`;
  const filter = (clean: string) =>
    `[filter "loud"]\n\tclean = "${clean}"\n\tsmudge = "tr A-Z a-z"\n\trequired = true\n`;
  const configure = (clean: string) =>
    writeFileSync(join(victim.home, ".gitconfig"), `${user}${filter(clean)}`);
  configure("tr a-z A-Z");
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: victim.project,
      env: { PATH: process.env["PATH"], HOME: victim.home },
      encoding: "utf8",
    });
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "-m", "files");
  git("config", "filter.evil.clean", `touch ${sprung}; cat`);
  git("config", "filter.loud.clean", `touch ${sprung}; cat`);
  return { ...victim, git, configure, sprung };
}

test("a filter of the user's own runs in a project where she trusted it, and one of a repository never [SEC-4.global, T18]", async () => {
  const { troupe, git, configure, sprung } = createFiltered();
  const refused = await troupe("run", "w.yaml", "go");
  // The work is done; only its commit waits, and the worktree stays.
  expect(refused.exitCode).toBe(0);
  expect(refused.out).toContain("warning: the worktree of a stays as it is");
  const log = await troupe("logs", "@last", "--json=all");
  expect(log.out).toContain("troupe trust lets it run in this project");

  const shown = await troupe("trust", "--show");
  expect(shown.out).toMatch(
    /filters of your configuration of git.*\n +git filter loud +not trusted/,
  );
  expect(shown.out).not.toContain("evil");
  expect((await troupe("trust", "--yes")).exitCode).toBe(0);
  const ran = await troupe("run", "w.yaml", "go");
  expect([ran.exitCode, ran.err]).toEqual([0, ""]);
  const of = `troupe/${/run_\w{6}/.exec(ran.out)?.[0]}/a`;
  // Stored through clean, checked out through smudge, under the user's own name.
  expect(git("cat-file", "blob", `${of}:secret.txt`)).toBe("FIRST\nPLAIN\n");
  expect(git("cat-file", "blob", `${of}:seen.md`)).toBe("first\n");
  expect(git("log", "-1", "--format=%an <%ae>", of)).toBe('Ada "L" Byron <ada@localhost>\n');

  configure("cat");
  const changed = await troupe("run", "w.yaml", "go");
  expect(changed.out).toContain("warning: the worktree of a stays as it is");
  expect(existsSync(sprung)).toBe(false);
});
