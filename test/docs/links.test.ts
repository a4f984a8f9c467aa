import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { loadCommands } from "../../src/cli/registry.ts";
import { readPages, root } from "./pages.ts";

const commands = await loadCommands();

const pages = readPages();
const written = pages.filter(({ path }) => !path.startsWith("docs/reference/"));

test("every link between pages leads to a file, and to a heading that is there [ECO-6.pages]", () => {
  const broken = pages.flatMap(({ path, text }) =>
    linksIn(text)
      .filter((target) => !leadsSomewhere(path, target))
      .map((target) => `${path} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

test("every guide is reached from the map, and every page of docs from a page [ECO-6.pages]", () => {
  const targets = new Set(
    pages.flatMap(({ path, text }) => linksIn(text).map((target) => resolved(path, target))),
  );
  const unreached = pages
    .map(({ path }) => path)
    .filter((path) => path !== "README.md" && !isReached(path, targets));
  expect(unreached).toEqual([]);
});

test("every command is on a page that people wrote", () => {
  const text = written.map((page) => page.text).join("\n");
  const unnamed = commands
    .map(({ name }) => name)
    .filter((name) => !new RegExp(`troupe ${name}\\b`).test(text));
  expect(unnamed).toEqual([]);
});

function linksIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(from: string, target: string): boolean {
  const path = join(root, resolved(from, target));
  if (!existsSync(path)) return false;
  const [, anchor] = target.split("#");
  return anchor === undefined || headingsOf(path).includes(anchor);
}

function resolved(from: string, target: string): string {
  const [path = ""] = target.split("#");
  const absolute = path === "" ? join(root, from) : join(root, dirname(from), path);
  return relative(root, absolute);
}

/** Decisions are reached as a folder. */
function isReached(path: string, targets: ReadonlySet<string>): boolean {
  return targets.has(path) || targets.has(dirname(path));
}

function headingsOf(path: string): readonly string[] {
  return [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
