import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { describeBackend } from "../../agents/backends/registry.ts";
import { runKey } from "../../agents/backends/script/cassette-below.ts";
import { recordTurns } from "../../agents/backends/script/record-turns.ts";
import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { createWorkspace } from "../../host/workspace.ts";
import { builtInTools } from "../../tools/registry.ts";
import { maskerOf } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import { fileUnwritable } from "../machine/place/errors.ts";
import { assertPlace, writeTextFile } from "../machine/place/write-text-file.ts";
import { readEvents } from "../runs/run-events.ts";
import type { WorkflowRun } from "./owner/workflow-run.ts";

/** Longest file whose text goes into a cassette; of longer ones only the event does. */
const MAX_FILE_CHARS = 262_144;

const OWN_TOOLS: ReadonlySet<string> = new Set(builtInTools.map(({ name }) => name));

/** Writes what the agents of a run do into a cassette that plays it again (AGT-4). */
export interface CassetteRecorder {
  /** Takes in what agents change in files while the run goes on. */
  attach(run: WorkflowRun): void;
  /** Writes the cassette of the whole run as its journal has it; replaces the file at once or not at all. */
  write(): Promise<void>;
}

/** A recorder whose file can be written. Raises FILE_UNWRITABLE. */
export async function createCassetteRecorder(
  machine: Machine,
  file: string,
): Promise<CassetteRecorder> {
  assertWritable(file);
  const masker = await maskerOf(machine);
  const contents = new Map<number, string>();
  let attached: { readonly run: WorkflowRun; readonly reading: Promise<void> } | undefined;
  return {
    attach: (run) => {
      const keep = (seq: number, text: string) => contents.set(seq, masker.mask(text));
      attached = { run, reading: keepContents(run, keep) };
    },
    write: async () => {
      if (attached === undefined) return;
      const { run, reading } = attached;
      await reading;
      const text = await toText(machine, { run: run.state, contents });
      writeTextFile(file, text, 0o600);
    },
  };
}

async function keepContents(
  run: WorkflowRun,
  keep: (seq: number, text: string) => void,
): Promise<void> {
  for await (const event of run.events) {
    if (event.type !== "file-changed" || event.kind === "delete") continue;
    const text = await readChanged(run.state, event);
    if (text !== undefined) keep(event.seq, text);
  }
}

/** What the file holds now; undefined when it is gone, too long, no text or not the agent's to change. */
async function readChanged(
  { agents, run }: RunState,
  { agent, path }: EventOf<"file-changed">,
): Promise<string | undefined> {
  const { place, spec } = agents.get(agent) ?? {};
  const workspace = createWorkspace(place?.directory ?? spec?.cwd ?? run.cwd);
  const text = await workspace.readText(path).catch(() => undefined);
  const isKept = text !== undefined && text.length <= MAX_FILE_CHARS && !text.includes("\uFFFD");
  return isKept ? text : undefined;
}

interface Sources {
  readonly run: RunState;
  readonly contents: ReadonlyMap<number, string>;
}

async function toText(machine: Machine, { run, contents }: Sources): Promise<string> {
  const events = readEvents(machine, run.run.id);
  const isOwnTool = (tool: string) => OWN_TOOLS.has(tool);
  const sources = { isOwnTool, traitsOf: describeBackend };
  const own = recordTurns(events, { ...sources, contentOf: (seq) => contents.get(seq) });
  const runs = Object.fromEntries(
    eventsBelow(machine, events).map(({ ops, events: below }) => {
      // What a file held while a run below went on is not known here.
      const { version: _, ...turns } = recordTurns(below, {
        ...sources,
        contentOf: () => undefined,
      });
      return [runKey(ops), turns];
    }),
  );
  const cassette = { ...own, ...(Object.keys(runs).length === 0 ? {} : { runs }) };
  const { stringify } = await import("yaml");
  const { id, workflow } = run.run;
  const head = `# What the agents of ${id} (${workflow}) did. Plays again with --cassette.\n`;
  return `${head}${stringify(cassette, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** A run below, and the operations that lead to it. */
interface RecordedBelow {
  readonly ops: readonly string[];
  readonly events: readonly JournalEvent[];
}

/** All runs below the one of these events. */
function eventsBelow(
  machine: Machine,
  events: readonly JournalEvent[],
  above: readonly string[] = [],
): readonly RecordedBelow[] {
  const started = events.flatMap((event) => (event.type === "child-started" ? [event] : []));
  return started.flatMap(({ child, op }) => {
    if (!machine.store.list().includes(child)) return [];
    const below = { ops: [...above, op], events: readEvents(machine, child) };
    return [below, ...eventsBelow(machine, below.events, below.ops)];
  });
}

/** What can be known before a run starts; the disk may still be full at its end. */
function assertWritable(file: string): void {
  assertPlace(file);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    const problem = `you may not write to ${dirname(file)}`;
    throw fileUnwritable({ path: file, problem }, { cause: error });
  }
}
