import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A repository in which `main` and `target` differ in every way that a file can; `clash` is `target` with conflicts. */
export interface TwoTrees {
  readonly root: string;
  readonly main: string;
  readonly target: string;
  readonly clash: string;
}

/** Runs git with no configuration but that of the repository. */
export function gitIn(cwd: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const env = { PATH: process.env["PATH"], HOME: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...identity, ...args], { cwd, env, encoding: "utf8" }).trim();
}

const SUBMODULE = `160000,${"1".repeat(40)},sub`;

/** Makes such a repository, with files of the user's that git does not know. */
export function createTwoTrees(): TwoTrees {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-two-trees-")));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const remove = (...paths: readonly string[]) => {
    for (const path of paths) rmSync(join(root, path), { recursive: true });
  };
  const git = (...args: readonly string[]) => gitIn(root, ...args);
  const commit = (...linked: readonly string[]) => {
    git("add", "--all");
    for (const link of linked) git("update-index", "--add", "--cacheinfo", link);
    git("commit", "--quiet", "-m", "files");
    return git("rev-parse", "HEAD");
  };
  git("init", "--quiet", "--initial-branch", "main");
  write(".gitignore", "*.log\n");
  write(".gitattributes", "*.crlf text eol=crlf\n");
  for (const name of [
    "a.txt",
    "edited.txt",
    "mode.sh",
    "same.txt",
    "gone/deep/one",
    "gone/deep/two",
  ])
    write(name, `${name}\n`);
  for (const name of [
    "to-file/x",
    "to-file/deep/y",
    "to-directory",
    "Case.txt",
    "ü name.txt",
    "keep.txt",
  ])
    write(name, `${name}\n`);
  write("lines.crlf", "one\r\n");
  symlinkSync("a.txt", join(root, "link"));
  symlinkSync("gone", join(root, "link-to-directory"));
  const base = commit();
  git("switch", "--quiet", "--create", "target");
  write("edited.txt", `${"edited\n".repeat(2000)}`);
  chmodSync(join(root, "mode.sh"), 0o755);
  remove("gone", "to-file", "to-directory", "Case.txt", "link", "link-to-directory");
  write("to-file", "a file\n");
  write("to-directory/deep/z", "z\n");
  write("link-to-directory/z", "z\n");
  write("case.txt", "Case.txt\n");
  write("ü name.txt", "changed\n");
  write("new/deep/n", "n\n");
  write("lines.crlf", "one\r\ntwo\r\n");
  symlinkSync("same.txt", join(root, "link"));
  // Names that are no UTF-8.
  const inBytes = (name: string) => Buffer.from(join(root, name), "latin1");
  mkdirSync(inBytes("d\xe9"));
  writeFileSync(inBytes('d\xe9/f\xff "1".txt'), "bytes\n");
  symlinkSync(Buffer.from("to-\xe9", "latin1"), inBytes("l\xe9"));
  const target = commit(SUBMODULE);
  git("switch", "--quiet", "--create", "clash");
  write("a.txt", "theirs\n");
  remove("keep.txt");
  const clash = commit(SUBMODULE);
  git("switch", "--quiet", "main");
  write("a.txt", "ours\n");
  write("keep.txt", "kept\n");
  const main = commit();
  git("reset", "--quiet", "--hard", base);
  git("reset", "--quiet", "--hard", main);
  rmSync(join(root, "sub"), { recursive: true, force: true });
  write("untracked.txt", "of the user\n");
  write("ignored.log", "of the user\n");
  return { root, main, target, clash };
}

/** All that a person sees of a working tree and its repository, but for the ids of commits that were made. */
export function lookAt(root: string): object {
  const git = (...args: readonly string[]) => gitIn(root, ...args);
  const locks = readdirSync(join(root, ".git")).filter((name) => /\.lock$|^troupe/.test(name));
  const lock = join(root, ".git/refs/heads/main.lock");
  return {
    files: filesIn(root, ""),
    status: git("status", "--porcelain=v1", "-uall").split("\n"),
    index: git("ls-files", "-s").split("\n"),
    head: [readFileSync(join(root, ".git/HEAD"), "utf8"), git("log", "-1", "--format=%T %P")],
    isMerging: existsSync(join(root, ".git/MERGE_HEAD")),
    locks: [...locks, ...(existsSync(lock) ? [lock] : [])],
  };
}

/** Names are bytes, each of them a character here. */
function filesIn(root: string, below: string): { readonly [path: string]: string } {
  const found: { [path: string]: string } = {};
  for (const name of readdirSync(placeOf(root, below), "latin1").sort()) {
    const path = join(below, name);
    if (path === ".git") continue;
    const place = placeOf(root, path);
    const stat = lstatSync(place);
    if (stat.isDirectory()) Object.assign(found, { [`${path}/`]: "" }, filesIn(root, path));
    else if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(place, "latin1")}`;
    else found[path] = `${(stat.mode & 0o111).toString(8)} ${readFileSync(place, "utf8")}`;
  }
  return found;
}

function placeOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}
