import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createMachineAt, type Machine } from "../../../src/app/machine/machine.ts";
import type { WorkflowRun } from "../../../src/app/run/owner/workflow-run.ts";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { type StartOptions, startRun } from "../../../src/app/run/start-run.ts";
import { loadFile } from "../../../src/app/workflow/load-file.ts";
import type { EventData, EventOf, JournalEvent } from "../../../src/contracts/events/event.ts";

/** A project of its own with a git repository; it goes with the test. */
export interface PlacedProject {
  readonly machine: Machine;
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  /** Commits all files and tells the id. */
  commit(): string;
}

export function createProject(hasGit = true): PlacedProject {
  const all = realpathSync(mkdtempSync(join(tmpdir(), "troupe-places-")));
  onTestFinished(() => rmSync(all, { recursive: true, force: true }));
  const root = join(all, "project");
  for (const name of ["project/.troupe", "home", "run"])
    mkdirSync(join(all, name), { recursive: true, mode: 0o700 });
  const { PATH } = process.env;
  const env = { PATH, HOME: join(all, "home"), XDG_RUNTIME_DIR: join(all, "run") };
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    return execFileSync("git", [...identity, ...args], { cwd: root, env, encoding: "utf8" }).trim();
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const commit = () => {
    git("add", "--all");
    git("commit", "--quiet", "-m", "files");
    return git("rev-parse", "HEAD");
  };
  if (hasGit) git("init", "--quiet", "--initial-branch", "main");
  write(".gitignore", ".troupe\nignored\n");
  write("src/a.txt", "a\n");
  if (hasGit) commit();
  return { machine: createMachineAt({ cwd: root, env }), root, git, write, commit };
}

/** A run that is over, or was let go. */
export interface PlacedRun {
  readonly id: string;
  readonly outcome: string;
  readonly events: readonly JournalEvent[];
  all<Type extends EventData["type"]>(type: Type): readonly EventOf<Type>[];
}

/** Runs a workflow, given as a value, to its end. A pattern workflow gets a name. */
export async function runPlaced(
  { machine }: PlacedProject,
  workflow: object,
  options: StartOptions & { readonly onStart?: (run: WorkflowRun) => void } = {},
): Promise<PlacedRun> {
  const head = "pattern" in workflow ? { version: "1.0", name: "places" } : {};
  const text = JSON.stringify({ ...head, ...workflow });
  const { definition, problems } = await loadFile(machine, { file: "<test>", text });
  if (definition === undefined) throw new Error(JSON.stringify(problems));
  const run = await startRun(machine, definition, options);
  options.onStart?.(run);
  return endOf(run);
}

/** Goes on with a run to its end. */
export async function resumePlaced({ machine }: PlacedProject, id: string): Promise<PlacedRun> {
  const resumption = await resumeOnMachine(machine, id);
  if (resumption.status === "over") throw new Error(`${id} is over`);
  return endOf(resumption.run);
}

async function endOf(run: WorkflowRun): Promise<PlacedRun> {
  const events: JournalEvent[] = [];
  for await (const event of run.events) events.push(event);
  const parting = await run.parted;
  return {
    id: run.id,
    outcome: parting.status === "suspended" ? "suspended" : parting.event.outcome,
    events,
    all: (type) => events.filter((event) => isOf(event, type)),
  };
}

function isOf<Type extends EventData["type"]>(
  event: JournalEvent,
  type: Type,
): event is EventOf<Type> {
  return event.type === type;
}
