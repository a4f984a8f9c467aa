import { existsSync } from "node:fs";
import { extname } from "node:path";
import { areHarmless } from "../../app/catalogue/show-problems.ts";
import {
  drawGraph,
  type GraphDocument,
  type GraphFormat,
  graphOfDefinition,
  graphOfRun,
} from "../../app/history/draw-graph.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { writeTextFile } from "../../app/machine/place/write-text-file.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import { codeOf } from "../../app/workflow/plugins/code-of.ts";
import { templateNames } from "../../app/workflow/templates.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { lookAtMachine } from "../command/open-machine.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { graphCommand } from "../commands/graph.ts";
import { graphTextOptions } from "../graph/graph-text-options.ts";
import { findWorkflow } from "../prepare/find-workflow.ts";
import { inputPath } from "../prepare/read-input.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import { UNICODE_GLYPHS } from "../terminal/glyphs.ts";
import { createPaint } from "../terminal/paint.ts";

type GraphOptions = OptionsOf<typeof graphCommand>;

const FORMATS_BY_ENDING: ReadonlyMap<string, GraphFormat> = new Map([
  [".mmd", "mermaid"],
  [".mermaid", "mermaid"],
  [".svg", "svg"],
  [".dot", "dot"],
  [".gv", "dot"],
  [".json", "json"],
]);

const FILE_COLUMNS = 120;

/** `troupe graph`: draws a workflow file or a run; nothing is run. */
export const graphAction: ActionOf<typeof graphCommand> = async (invocation) => {
  const { io, settings, args } = invocation;
  const { options } = invocation;
  const format = chooseFormat(options);
  const machine = lookAtMachine(invocation);
  const graph = await findGraph(machine, { given: targetOperand(args), options }, invocation);
  if (graph === undefined) return EXIT.usage;
  if (options.output === undefined) {
    io.stdout.write(await drawGraph(graph, format, graphTextOptions(settings)));
    return EXIT.completed;
  }
  const plain = { glyphs: UNICODE_GLYPHS, paint: createPaint(false), width: FILE_COLUMNS };
  const path = inputPath(options.output, settings);
  writeTextFile(path, await drawGraph(graph, format, graphTextOptions(plain)));
  return EXIT.completed;
};

function chooseFormat({ format, output, json }: GraphOptions): GraphFormat {
  if (json && format !== undefined && format !== "json")
    throw usageInvalid({ problem: `--json and --format ${format} exclude each other` });
  if (json) return "json";
  return format ?? FORMATS_BY_ENDING.get(extname(output ?? "").toLowerCase()) ?? "ascii";
}

/** The graph of what was named; undefined after the problems of a file have been told. */
async function findGraph(
  machine: Machine,
  { given, options }: { readonly given: string; readonly options: GraphOptions },
  invocation: Invocation,
): Promise<GraphDocument | undefined> {
  const { backend, from } = options;
  if (namesRun(given, invocation)) {
    if (backend !== undefined) throw usageInvalid({ problem: "the backends of a run are settled" });
    if (from !== undefined) throw usageInvalid({ problem: "--from is for files, not for runs" });
    return graphOfRun(machine, resolveTarget(machine, given).run);
  }
  const loaded = await loadFile(machine, {
    ...(await findWorkflow(given, invocation)),
    importFrom: from,
    ...(backend === undefined ? {} : { backend }),
  });
  await tellProblems(loaded, invocation);
  const { definition } = loaded;
  if (definition === undefined || !areHarmless(loaded.problems)) return undefined;
  return graphOfDefinition(definition, await codeOf(machine));
}

/** A run is named without dot and slash; whatever exists as a file or a template is meant as that. */
function namesRun(given: string, { settings }: Invocation): boolean {
  if (given.startsWith("@")) return true;
  if (given === "-" || /[./\\]/.test(given) || templateNames.includes(given)) return false;
  return !existsSync(inputPath(given, settings));
}
