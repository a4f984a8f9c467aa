import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { WorkflowGraph } from "../../contracts/graph.ts";
import type { PackedReport, RunReport } from "../../contracts/ports/run-report.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { packageFile } from "../../foundation/package-file.ts";
import type { Machine } from "../machine/machine.ts";
import { VERSION } from "../machine/place/version.ts";
import { neverBegan } from "../runs/errors.ts";
import { redactRun } from "../runs/redact-run.ts";
import { withWholeText } from "../runs/run-events.ts";
import { readRecipe } from "../workflow/shapes/run-recipe.ts";
import { graphOfDefinition } from "./draw-graph.ts";

/** A run as one page that needs nothing else. */
export interface ReportPage {
  readonly html: string;
  /** Texts of the run in which known secrets stood; they are masked in the page. */
  readonly maskedTexts: number;
}

/** Where the report of a run lies unless another place is named. */
export function reportPath({ project }: Machine, run: string): string {
  return join(project.runsDirectory, run, "report.html");
}

/**
 * The report of a run as it is now, going on or over. Known secrets are always masked; `isForSharing` takes out
 * what else tells of this machine. Raises RUN_NOT_FOUND, RUN_NEVER_BEGAN, CONFIG_INVALID and STORE_* errors.
 */
export async function createReport(
  machine: Machine,
  run: string,
  { isForSharing }: { readonly isForSharing: boolean },
): Promise<ReportPage> {
  const { events, graph, isLeft } = await readRun(machine, run);
  const redacted = await redactRun(machine, events, { isForSharing });
  const html = renderReport(await readFile(packageFile("assets/report.html"), "utf8"), {
    v: 1,
    run,
    troupe: VERSION,
    writtenAt: machine.clock.now(),
    isLeft,
    isRedacted: isForSharing,
    graph,
    events: redacted.events,
  });
  return { html, maskedTexts: redacted.maskedTexts };
}

async function readRun(
  { store, isGone }: Machine,
  run: string,
): Promise<Pick<RunReport, "events" | "graph"> & { readonly isLeft: boolean }> {
  const journal = store.open(run, "read");
  try {
    const events = Array.from(journal.read(), (event) => withWholeText(journal, event));
    const created = events.find((event) => event.type === "run-created");
    if (created === undefined) throw neverBegan({ run });
    const holder = journal.leaseHolder();
    const isLeft = holder === undefined || isGone(holder);
    return { events, isLeft, graph: await graphOf(journal, created.definitionHash) };
  } finally {
    journal.close();
  }
}

/** A run tells what happened even where this version cannot read what was planned. */
async function graphOf(journal: Journal, definitionHash: string): Promise<WorkflowGraph> {
  try {
    const { definition } = await readRecipe(journal.run, journal.blob(definitionHash));
    const { nodes, edges } = await graphOfDefinition(definition);
    return { nodes, edges };
  } catch (error) {
    if (error instanceof TroupeError && error.code.startsWith("WORKFLOW_"))
      return { nodes: [], edges: [] };
    throw error;
  }
}

/** Where the page that the client was built into takes its data; occurs in it once. */
export const DATA_PLACEHOLDER = "__TROUPE_RUN__";

// Events are much alike, so that a long run takes a tenth; a short one stays readable for people and their tools.
const PACKED_BEYOND_CHARS = 1024 * 1024;

/** The whole file: the built page with a report inside. */
export function renderReport(page: string, report: RunReport): string {
  const json = JSON.stringify(report);
  const data = json.length > PACKED_BEYOND_CHARS ? JSON.stringify(toPacked(json)) : json;
  // A function, because a replacement text would give `$&` in the journal a meaning.
  return page.replace(DATA_PLACEHOLDER, () => toInline(data));
}

function toPacked(json: string): PackedReport {
  return { v: 1, packed: gzipSync(json).toString("base64") };
}

/**
 * JSON that can stand in a script element: it holds no `<`, so that nothing in it ends the element or opens
 * a comment, and none of the line ends that are not allowed in scripts.
 */
function toInline(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, showCode);
}

function showCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
