import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readYaml } from "../../../foundation/yaml-source.ts";

/** Where skills of a project lie: a directory each, with a file that says what the skill is for. */
const SKILL_PLACES = [".troupe/skills", ".claude/skills"] as const;

const FILE = "SKILL.md";
/** Other names could say something to the model of a project that nobody has trusted. */
const NAME = /^[\w.-]{1,64}$/;
const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_DESCRIPTION_CHARS = 1024;
const MAX_SKILLS = 100;

/**
 * What a model is told of the skills of a project: of a trusted one what each is for and where the rest is said, of
 * another one where they are. Undefined without any.
 */
export async function projectSkills(cwd: string, isTrusted: boolean): Promise<string | undefined> {
  const paths = (await Promise.all(SKILL_PLACES.map((place) => skillsIn(cwd, place)))).flat();
  if (paths.length === 0) return undefined;
  const shown = paths.slice(0, MAX_SKILLS);
  const more = paths.length > shown.length ? [`- and ${paths.length - shown.length} more`] : [];
  if (!isTrusted) {
    const list = [...shown.map((path) => `- ${path}`), ...more].join("\n");
    return `The project has skills, which were not read: the project is not trusted.\n\n${list}`;
  }
  const lines = await Promise.all(shown.map((path) => describe(cwd, path)));
  return `The project has skills. Before you do what one of them is for, read its file and do as it says.\n\n${[...lines, ...more].join("\n")}`;
}

async function skillsIn(cwd: string, place: string): Promise<readonly string[]> {
  const names = await readdir(join(cwd, place)).catch(() => []);
  const paths = names
    .filter((name) => NAME.test(name))
    .toSorted()
    .map((name) => `${place}/${name}/${FILE}`);
  const found = await Promise.all(paths.map((path) => headOf(join(cwd, path))));
  return paths.filter((_, index) => found[index] !== undefined);
}

const headSchema = z.looseObject({
  name: z.string().regex(NAME),
  description: z.string().trim().min(1).max(MAX_DESCRIPTION_CHARS),
});

async function describe(cwd: string, path: string): Promise<string> {
  const head = HEAD.exec((await headOf(join(cwd, path))) ?? "")?.[1];
  const skill = headSchema.safeParse(head === undefined ? undefined : readYaml(head, path).value);
  if (!skill.success) return `- ${path} (it does not say by name and description what it is for)`;
  const { name, description } = skill.data;
  return `- ${name}: ${description.replaceAll(/\s+/g, " ")} (${path})`;
}

/** The beginning of a file; undefined when there is none. */
async function headOf(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_HEAD_BYTES) });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
