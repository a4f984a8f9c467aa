import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { TroupeError } from "../../../foundation/errors.ts";
import { readTextFile } from "../../machine/place/read-text-file.ts";

/** A command with which a project checks itself. */
export interface ProjectCheck {
  readonly id: "types" | "lint" | "test";
  readonly command: readonly string[];
}

/** What a directory says about checking it. */
export interface ProjectChecks {
  /** At most one of each kind, whose program is on this machine. */
  readonly checks: readonly ProjectCheck[];
  /** Why something that is there was left out. */
  readonly notes: readonly string[];
}

/** Looks a program up, by name, as an agent's command would be. */
export type HasProgram = (name: string) => boolean;

const MAX_BYTES = 1_048_576;

/** Finds the commands of a project: those of its package first, then of its tools, then of its Makefile. */
export async function findChecks(cwd: string, hasProgram: HasProgram): Promise<ProjectChecks> {
  const read = async (name: string) => (await readIfThere(join(cwd, name))) ?? "";
  const scripts = packageChecks(await read("package.json"), cwd);
  const found = [
    ...scripts.checks,
    ...pythonChecks(await read("pyproject.toml")),
    ...(existsSync(join(cwd, "Cargo.toml")) ? CARGO : []),
    ...(existsSync(join(cwd, "go.mod")) ? GO : []),
    ...makeChecks(await read("Makefile")),
  ];
  const runnable = found.filter(({ command: [program = ""] }) => hasProgram(program));
  const missing = new Set(
    found.map(({ command: [program = ""] }) => program).filter((name) => !hasProgram(name)),
  );
  return {
    checks: KINDS.flatMap((kind) => runnable.find(({ id }) => id === kind) ?? []),
    notes: [
      ...scripts.notes,
      ...[...missing].map((name) => `${name} is not on PATH, so its checks are left out`),
    ],
  };
}

const KINDS = ["types", "lint", "test"] as const;

const CARGO: readonly ProjectCheck[] = [
  { id: "types", command: ["cargo", "check", "--quiet"] },
  { id: "test", command: ["cargo", "test", "--quiet"] },
];
const GO: readonly ProjectCheck[] = [
  { id: "lint", command: ["go", "vet", "./..."] },
  { id: "test", command: ["go", "test", "./..."] },
];
const SCRIPT_NAMES = {
  types: ["typecheck", "type-check", "check-types", "types", "tsc"],
  lint: ["lint"],
  test: ["test"],
} as const;

const manifestSchema = z.object({
  packageManager: z.string().optional(),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.unknown()).default({}),
  devDependencies: z.record(z.string(), z.unknown()).default({}),
});

function packageChecks(text: string, cwd: string): ProjectChecks {
  if (text === "") return { checks: [], notes: [] };
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) return { checks: [], notes: ["package.json cannot be read"] };
  const { scripts, dependencies, devDependencies } = parsed.data;
  const manager = managerOf(parsed.data.packageManager, cwd);
  const needsInstall = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  if (needsInstall && !isInstalled(cwd))
    return {
      checks: [],
      notes: [`the packages are not installed, so its scripts are left out: ${manager} install`],
    };
  const checks = KINDS.flatMap((id): readonly ProjectCheck[] => {
    const script = SCRIPT_NAMES[id].find((name) => endsByItself(scripts[name]));
    return script === undefined ? [] : [{ id, command: runScript(manager, script) }];
  });
  return { checks, notes: [] };
}

function managerOf(declared: string | undefined, cwd: string): string {
  const [, name] = /^(npm|pnpm|yarn|bun)@/.exec(declared ?? "") ?? [];
  if (name !== undefined) return name;
  const locks = [
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    ["bun.lock", "bun"],
    ["bun.lockb", "bun"],
  ] as const;
  return locks.find(([file]) => existsSync(join(cwd, file)))?.[1] ?? "npm";
}

function runScript(manager: string, script: string): readonly string[] {
  return manager === "npm" ? ["npm", "run", "--silent", script] : [manager, "run", script];
}

/** Not what `npm init` writes, and nothing that goes on watching. */
function endsByItself(script: string | undefined): boolean {
  return (
    script !== undefined &&
    !script.includes("no test specified") &&
    !/--watch(All)?\b(?!=false)/.test(script)
  );
}

/** Packages of a workspace may lie further up. */
function isInstalled(cwd: string): boolean {
  if (existsSync(join(cwd, "node_modules"))) return true;
  return dirname(cwd) !== cwd && isInstalled(dirname(cwd));
}

function pythonChecks(text: string): readonly ProjectCheck[] {
  const tools: readonly (readonly [RegExp, ProjectCheck])[] = [
    [/^\[tool\.mypy/m, { id: "types", command: ["mypy", "."] }],
    [/^\[tool\.ruff/m, { id: "lint", command: ["ruff", "check", "."] }],
    [/^\[tool\.pytest/m, { id: "test", command: ["pytest", "-q"] }],
  ];
  return tools.flatMap(([mark, check]) => (mark.test(text) ? [check] : []));
}

function makeChecks(text: string): readonly ProjectCheck[] {
  return KINDS.flatMap((id) => {
    const target = SCRIPT_NAMES[id].find((name) =>
      new RegExp(`^${name}\\s*:(?!=)`, "m").test(text),
    );
    return target === undefined ? [] : [{ id, command: ["make", "-s", target] }];
  });
}

async function readIfThere(file: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return await readTextFile(file, MAX_BYTES);
  } catch (error) {
    // A directory or a huge file of that name tells nothing about the project.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
