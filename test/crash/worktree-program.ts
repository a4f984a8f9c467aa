import { makeWorktree, settleWorktree } from "../../src/agents/places/worktree-place.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { isRecord } from "../../src/foundation/json.ts";
import { createHost, type HostOptions } from "../../src/host/host.ts";

// Makes or settles the worktree of one agent, as the owner of a run does. Its only argument is a WorktreeOrder.

/** What the program does, and where. All paths are absolute. */
export interface WorktreeOrder {
  readonly action: "make" | "settle";
  readonly root: string;
  readonly path: string;
  readonly base: string;
  readonly home: string;
  /** Value of PATH. */
  readonly programs: string;
}

/** The worktree that an order is about. */
export function givenBy({ root, path, base }: WorktreeOrder) {
  const worktree = { root, path, base, branch: "troupe/run_a/coder" };
  return { agent: "coder", directory: path, worktree };
}

/** Options of a host for such an order: no reaper, because nothing of it outlives the call. */
export function hostOptions({ programs, home }: WorktreeOrder): HostOptions {
  return {
    run: "run_a",
    clock: systemClock,
    env: { PATH: programs, HOME: home },
    reaper: false,
  };
}

/** Carries an order out in this process. */
export async function follow(order: WorktreeOrder): Promise<void> {
  const host = createHost(hostOptions(order));
  const given = givenBy(order);
  try {
    if (order.action === "make") await makeWorktree(host, { ...given, isUsed: false });
    else await settleWorktree(host, { ...given, isUsed: true }, "work of coder");
  } finally {
    await host.close();
  }
}

function parse(text: string): WorktreeOrder {
  const value: unknown = JSON.parse(text);
  const field = (name: string) => (isRecord(value) ? String(value[name]) : "");
  return {
    action: field("action") === "make" ? "make" : "settle",
    root: field("root"),
    path: field("path"),
    base: field("base"),
    home: field("home"),
    programs: field("programs"),
  };
}

if (process.argv[1]?.endsWith("worktree-program.mjs")) await follow(parse(process.argv[2] ?? ""));
