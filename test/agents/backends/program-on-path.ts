import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SessionRequest } from "../../../src/contracts/backend.ts";

/** A program that is found but never started, and directories for sessions of it. */
export interface ProgramOnPath {
  /** Absolute. */
  readonly program: string;
  readonly home: string;
  readonly cwd: string;
  readonly directory: string;
  /** A session of agent `worker`. */
  request(
    env: { readonly [name: string]: string },
    changes?: Partial<SessionRequest>,
  ): SessionRequest;
}

/** Puts a program of this name on a PATH of its own; all of it goes with the test. */
export function putOnPath(name: string): ProgramOnPath {
  const root = mkdtempSync(join(tmpdir(), "troupe-program-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const placeFor = (part: string) => {
    mkdirSync(join(root, part));
    return join(root, part);
  };
  const bin = placeFor("bin");
  const program = join(bin, name);
  writeFileSync(program, "#!/bin/sh\nexit 1\n");
  chmodSync(program, 0o755);
  const places = { home: placeFor("home"), cwd: placeFor("project"), directory: placeFor("agent") };
  return {
    ...places,
    program,
    request: (env, changes = {}) => ({
      run: "run_aaaaaa",
      session: "worker",
      cwd: places.cwd,
      directory: places.directory,
      env: { PATH: bin, HOME: places.home, ...env },
      spec: { id: "worker", backend: name },
      ...changes,
    }),
  };
}
