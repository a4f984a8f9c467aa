import { join } from "node:path";
import { z } from "zod";
import type { AgentStatus } from "../../contracts/agent.ts";
import { shownStatus } from "../../fold/state/agent-lookup.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { type RunSignature, readSignature } from "../../journal/run-files.ts";
import { type IndexEntry, openRunIndex, type RunIndex } from "../../journal/run-index.ts";
import type { Machine } from "../machine/machine.ts";
import { STANDALONE_PROGRAM } from "../workflow/shapes/standalone.ts";
import { parseHead, type RunListing, readListing } from "./run-heads.ts";
import { inspectRun } from "./run-lookup.ts";

/** Who works in a run, beyond what its summary says. */
export interface RunRoster {
  /** The workflow file as it was named; null for a run without one. */
  readonly source: string | null;
  /** Whether its one agent was made by `troupe new`. */
  readonly isStandalone: boolean;
  readonly agents: readonly AgentSummary[];
}

/** An agent of a run in a listing. */
export interface AgentSummary {
  readonly name: string;
  readonly backend: string;
  readonly status: AgentStatus;
  /** What it says of itself; null when that is nothing. */
  readonly statusText: string | null;
}

/** A run in a listing, with its roster if that was wanted. */
export interface ListedRun extends RunListing {
  readonly roster?: RunRoster;
}

/** All runs of a project that can be read, newest first, and why others cannot. */
export interface RunCatalogue {
  readonly runs: readonly ListedRun[];
  readonly problems: readonly TroupeError[];
  /** Runs whose process ended before their first event. They are in no other list. */
  readonly neverBegan: readonly string[];
}

// Two changes within one tick of the file system's clock look like one: what is that young is not kept.
const SETTLED_MS = 2000;

/**
 * Lists the runs of a project. Runs that are over come from the index if their files are those that the index
 * has seen; all others are read. `wantsRoster` says for which runs the agents are looked up too, which takes
 * reading a whole journal once.
 */
export function readRunList(
  machine: Machine,
  wantsRoster: (run: RunListing) => boolean = () => false,
): RunCatalogue {
  const ids = machine.store.list();
  const index = openIndex(machine, ids.length);
  const known = index?.entries ?? new Map<string, IndexEntry>();
  const runs: ListedRun[] = [];
  const problems: TroupeError[] = [];
  const neverBegan: string[] = [];
  const changed: IndexEntry[] = [];
  for (const id of ids) {
    try {
      const found = findRun(machine, id, { entry: known.get(id), wantsRoster });
      if (found === undefined) {
        if (hasNeverBegun(machine, id)) neverBegan.push(id);
        continue;
      }
      runs.push(found.run);
      if (found.entry !== undefined) changed.push(found.entry);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      // A run that was removed between the look into the directory and now is no news.
      if (error.code !== "RUN_NOT_FOUND") problems.push(error);
    }
  }
  closeIndex(index, { changed, ids: new Set(ids) });
  return { runs, problems, neverBegan };
}

function openIndex({ keepsFiles, project }: Machine, count: number): RunIndex | undefined {
  if (!keepsFiles || count === 0) return undefined;
  return openRunIndex(join(project.troupeDirectory, "index.db"));
}

function closeIndex(
  index: RunIndex | undefined,
  now: { readonly changed: readonly IndexEntry[]; readonly ids: ReadonlySet<string> },
): void {
  if (index === undefined) return;
  const gone = [...index.entries.keys()].filter((id) => !now.ids.has(id));
  if (now.changed.length > 0 || gone.length > 0) index.update(now.changed, gone);
  index.close();
}

/** Whether the process that was to start a run ended before its first event. Raises STORE_* errors. */
function hasNeverBegun(
  { store, isGone, project, keepsFiles, clock }: Machine,
  id: string,
): boolean {
  const changedAtMs = keepsFiles
    ? readSignature(project.runsDirectory, id)?.changedAtMs
    : undefined;
  // It may just be about to begin.
  if (changedAtMs === undefined || clock.now() - changedAtMs <= SETTLED_MS) return false;
  const journal = store.open(id, "read");
  try {
    const holder = journal.leaseHolder();
    return journal.lastSeq() === 0 && (holder === undefined || isGone(holder));
  } finally {
    journal.close();
  }
}

interface Wanted {
  readonly entry: IndexEntry | undefined;
  readonly wantsRoster: (run: RunListing) => boolean;
}

interface Found {
  readonly run: ListedRun;
  /** To be kept in the index. */
  readonly entry?: IndexEntry;
}

function findRun(machine: Machine, id: string, { entry, wantsRoster }: Wanted): Found | undefined {
  // Taken before the journal is read: what changes meanwhile makes the entry useless, not wrong.
  const signature = machine.keepsFiles
    ? readSignature(machine.project.runsDirectory, id)
    : undefined;
  const remembered =
    entry !== undefined && entry.signature === signature?.text
      ? parseBody(entry.body, machine.origins.fingerprint())
      : undefined;
  if (remembered !== undefined && (remembered.roster !== undefined || !wantsRoster(remembered)))
    return { run: remembered };
  const listing = readListing(machine.store, id, machine.isGone);
  if (listing === undefined) return undefined;
  const run = wantsRoster(listing) ? { ...listing, roster: readRoster(machine, id) } : listing;
  if (!isSettled(machine, run, signature)) return { run };
  const { owner: _owner, ...body } = run;
  // The index lies in the project: only who has the key can have written what it says of origins.
  const by = machine.origins.fingerprint();
  if (by === undefined) return { run };
  return {
    run,
    entry: { run: id, signature: signature.text, body: JSON.stringify({ ...body, by }) },
  };
}

function isSettled(
  machine: Machine,
  run: RunListing,
  signature: RunSignature | undefined,
): signature is RunSignature {
  const isOver = run.outcome !== null && run.owner === undefined;
  return (
    isOver && signature !== undefined && machine.clock.now() - signature.changedAtMs > SETTLED_MS
  );
}

function readRoster(machine: Machine, id: string): RunRoster {
  const state = inspectRun(machine, id);
  return {
    source: state.run.file ?? null,
    isStandalone: state.run.program === STANDALONE_PROGRAM,
    agents: [...state.agents.values()].map((agent) => ({
      name: agent.id,
      backend: agent.backend,
      status: shownStatus(agent),
      statusText: agent.statusText ?? null,
    })),
  };
}

const rosterSchema: z.ZodType<RunRoster> = z.object({
  source: z.string().nullable(),
  isStandalone: z.boolean(),
  agents: z.array(
    z.object({
      name: z.string(),
      backend: z.string(),
      status: z.enum(["starting", "idle", "working", "waiting-permission", "stuck", "exited"]),
      statusText: z.string().nullable(),
    }),
  ),
});

const bodySchema = z.object({
  roster: rosterSchema.exactOptional(),
  foreign: z.string().nullable(),
  by: z.string(),
});

/** `fingerprint`: of whoever reads; what somebody else wrote is not believed. */
function parseBody(body: string, fingerprint: string | undefined): ListedRun | undefined {
  const value: unknown = JSON.parse(body);
  const head = parseHead(value);
  const rest = bodySchema.safeParse(value);
  if (head === undefined || !rest.success || rest.data.by !== fingerprint) return undefined;
  const { by: _by, ...listed } = rest.data;
  return { ...head, owner: undefined, ...listed };
}
