import { expect, test } from "vitest";
import { type ToolFacts, toolPaths } from "../../../src/host/sandbox/tool-directories.ts";

const HOME = "/home/ada";

/** A machine on which all is there, with these links by directory. */
function machine(links: { readonly [directory: string]: readonly string[] } = {}): ToolFacts {
  return {
    exists: () => true,
    resolve: (path) => path,
    linkTargets: (directory) => links[directory] ?? [],
  };
}

function toolsOf(
  directories: readonly string[],
  facts = machine(),
  programs: readonly string[] = [],
) {
  return toolPaths({ directories, programs, homes: [HOME] }, facts);
}

test.each([
  ["of nvm", `${HOME}/.nvm/versions/node/v24.1.0/bin`, [`${HOME}/.nvm/versions/node/v24.1.0`]],
  ["of pyenv", `${HOME}/.pyenv/shims`, [`${HOME}/.pyenv`]],
  ["of cargo", `${HOME}/.cargo/bin`, [`${HOME}/.cargo/bin`, `${HOME}/.rustup`]],
  ["of go", `${HOME}/go/bin`, [`${HOME}/go`]],
  ["below /opt", "/opt/tool/bin", ["/opt/tool"]],
  ["of /opt itself", "/opt/bin", ["/opt/bin"]],
  ["of the system", "/usr/local/bin", []],
  ["of a home", `${HOME}/bin`, [`${HOME}/bin`]],
  ["of another's home", "/home/bob/bin", ["/home/bob/bin"]],
  ["beside key rings", `${HOME}/.local/bin`, [`${HOME}/.local/bin`]],
  ["beside credentials", `${HOME}/.docker/bin`, [`${HOME}/.docker/bin`]],
  ["of a hidden directory that nobody knows", `${HOME}/.fancy/bin`, [`${HOME}/.fancy/bin`]],
  ["that are a home", HOME, []],
  ["that hold homes", "/home", []],
  ["that are everything", "/", []],
] as const)(
  "programs %s are let in with what was installed, and nothing else [SEC-5.home]",
  (_, directory, expected) => {
    expect(toolsOf([directory])).toEqual([...expected]);
  },
);

test("where links of programs lead is let in too, through further links [SEC-5.home]", () => {
  const facts = machine({
    "/usr/local/bin": ["/opt/node/bin/node", "/usr/lib/node_modules/npm/bin/npm-cli.js"],
    [`${HOME}/.local/bin`]: [
      `${HOME}/.local/share/claude/versions/2.1.0`,
      `${HOME}/.local/share/pipx/venvs/black/bin/black`,
      `${HOME}/.local/lib/node_modules/@openai/codex/bin/codex.js`,
    ],
    [`${HOME}/.local/share/pipx/venvs/black/bin`]: ["/opt/python/bin/python3"],
  });
  expect(toolsOf(["/usr/local/bin", `${HOME}/.local/bin`], facts)).toEqual([
    `${HOME}/.local/bin`,
    `${HOME}/.local/lib/node_modules`,
    `${HOME}/.local/share/claude/versions/2.1.0`,
    `${HOME}/.local/share/pipx/venvs/black`,
    "/opt/node",
    "/opt/python",
  ]);
});

test("a program outside PATH is let in by itself, or with what was installed around it", () => {
  const programs = [`${HOME}/tools/agent.py`, "/srv/agent/bin/agent", "/usr/bin/git"];
  expect(toolsOf([], machine(), programs)).toEqual([`${HOME}/tools/agent.py`, "/srv/agent"]);
});
