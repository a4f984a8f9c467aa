import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Trajectory, trajectorySchema } from "../../src/contracts/trajectory.ts";
import { createProject } from "./fake-io.ts";

/** Where trajectories lie unless somebody says otherwise. */
export const USUAL = ".agentworkforce/trajectories";

/** A project whose workflow leaves trajectories; `says` is what it says of them. */
export function projectWithTrail(says = "{ enabled: true }", files = {}): string {
  return createProject({ "told.yaml": toldWorkflow(says), ...files });
}

/** Two steps by scripted agents who say how sure they are. */
export function toldWorkflow(says: string): string {
  return `version: "1.0"
name: told
pattern: pipeline
agents:
  - { id: planner, backend: script, script: [{ say: "DONE: [confidence=0.7] a wonderful plan" }] }
  - { id: builder, backend: script, script: [{ say: "DONE: [confidence=0.9] built" }] }
steps:
  - { id: plan, agent: planner, prompt: "plan {{task}}" }
  - { id: build, agent: builder, prompt: build it }
trajectory: ${says}
`;
}

/** The one trajectory below a directory, and its path there. */
export function onlyTrajectory(directory: string): {
  readonly path: string;
  readonly trajectory: Trajectory;
} {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const paths = names.filter((name) => name.endsWith("trajectory.json"));
  const [path = ""] = paths;
  if (paths.length !== 1) throw new Error(`there are ${paths.length} trajectories`);
  const text = readFileSync(join(directory, path), "utf8");
  return { path, trajectory: trajectorySchema.parse(JSON.parse(text)) };
}

// The package's own command: what it reads is what its users see, and what it writes is what they have.
const main = createRequire(import.meta.url).resolve("agent-trajectories");
const TRAIL = join(dirname(main), "cli", "index.js");

/** What `trail` of agent-trajectories prints. */
export function agentTrail(cwd: string, ...args: readonly string[]): string {
  const { HOME, PATH } = process.env;
  // Without it `show --trace` of 0.6.1 looks in a directory that is called "undefined".
  const TRAJECTORIES_SEARCH_PATHS = join(cwd, USUAL);
  const { status, stdout, stderr } = spawnSync(process.execPath, [TRAIL, ...args], {
    cwd,
    env: { HOME, PATH, TRAJECTORIES_SEARCH_PATHS },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`trail ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}
