import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HOOKS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit"],
  ...["prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout"],
  ...["post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive"],
  ...["post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite"],
  ...["sendemail-validate", "fsmonitor-watchman", "post-index-change"],
];

/** Configuration that names a program, or leads to one, with the place of the program left open. */
const PROGRAM_KEYS = [
  ...["core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass"],
  ...["core.gitProxy", "core.alternateRefsCommand", "sequence.editor", "diff.external"],
  ...["diff.armed.textconv", "diff.armed.command", "merge.armed.driver", "mergetool.armed.cmd"],
  ...["difftool.armed.cmd", "filter.armed.clean", "filter.armed.smudge"],
  ...["filter.armedprocess.process", "gpg.program", "gpg.ssh.program", "gpg.x509.program"],
  ...["credential.helper", "interactive.diffFilter", "pager.diff", "pager.status", "pager.log"],
  ...["uploadpack.packObjectsHook", "sendemail.smtpserver", "sendemail.toCmd", "web.browser"],
  ...["browser.armed.cmd", "man.armed.cmd", "trailer.armed.command", "trailer.armed.cmd"],
  ...["tar.armed.command", "remote.origin.uploadpack", "remote.origin.receivepack"],
  ...["gui.editor", "guitool.armed.cmd", "blame.tool", "ssh.variant"],
];

const PLAIN_KEYS: readonly (readonly [string, string])[] = [
  ["filter.armed.required", "true"],
  ["filter.armedprocess.required", "true"],
  ["commit.gpgSign", "true"],
  ["diff.tool", "armed"],
  ["merge.tool", "armed"],
  ["merge.default", "armed"],
  ["submodule.recurse", "true"],
  ["status.submoduleSummary", "true"],
  ["diff.submodule", "diff"],
  ["remote.origin.promisor", "true"],
  ["remote.origin.partialclonefilter", "blob:none"],
  ["remote.origin.url", "ssh://nowhere.invalid/x"],
  ["extensions.partialClone", "origin"],
  ["protocol.allow", "always"],
  ["protocol.ext.allow", "always"],
  ["submodule.sub.update", "!PROGRAM"],
  ["submodule.sub.url", "ext::PROGRAM"],
  ["core.splitIndex", "false"],
];

function attributesOf(standing: string): string {
  const process = standing.includes("filter") ? "*.process filter=armedprocess\n" : "";
  return `* ${standing}\n${process}a.txt text eol=lf ident\n`;
}

/** A program that leaves a line whenever anybody starts it. */
export interface Trap {
  /** Absolute. */
  readonly program: string;
  /** What has been started; empty as long as nothing was. */
  sprung(): string;
}

/** Lays a trap in a directory that no repository has. */
export function layTrap(directory: string): Trap {
  mkdirSync(directory, { recursive: true, mode: 0o777 });
  const [program, log] = [join(directory, "armed.sh"), join(directory, "sprung")];
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${log}\nexit 0\n`, { mode: 0o755 });
  return { program, sprung: () => (existsSync(log) ? readFileSync(log, "utf8") : "") };
}

/** Arms a git directory with everything that git can be made to start. */
export function armGitDirectory(gitDirectory: string, { program }: Trap, file = "config"): void {
  const hooks = join(gitDirectory, "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const name of HOOKS)
    writeFileSync(join(hooks, name), `#!/bin/sh\nexec ${program} hook-${name}\n`, { mode: 0o755 });
  const set = (key: string, value: string) =>
    execFileSync("git", ["config", "--file", join(gitDirectory, file), key, value]);
  for (const key of PROGRAM_KEYS) set(key, `${program} ${key}`);
  for (const [key, value] of PLAIN_KEYS) set(key, value.replace("PROGRAM", program));
  set("core.hooksPath", hooks);
  set("alias.status", `!${program} alias`);
  set("alias.diff-tree", `!${program} alias`);
  const included = join(gitDirectory, "included");
  writeFileSync(included, `[core]\n\tfsmonitor = ${program} included\n`);
  set("include.path", included);
  set(`includeIf.gitdir:${gitDirectory}/**.path`, included);
  mkdirSync(join(gitDirectory, "info"), { recursive: true });
  appendFileSync(join(gitDirectory, "info", "attributes"), attributesOf("diff=armed merge=armed"));
}

/** Has the files of a working tree go through what its repository is armed with. */
export function armFiles(root: string, attributes: string): void {
  writeFileSync(join(root, ".gitattributes"), attributesOf(attributes));
  writeFileSync(join(root, "x.process"), "by a process\n");
}
