import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { GraphEdge, GraphNode } from "../../contracts/graph.ts";
import type { RunStatus } from "../../contracts/run.ts";
import { foldAll } from "../../fold/fold.ts";
import { runStatus } from "../../fold/waiting.ts";
import { withRunState } from "../../observers/graph/graph-of-run.ts";
import type { TextOptions } from "../../observers/graph/graph-text.ts";
import type { Machine } from "../machine/machine.ts";
import { neverBegan } from "../runs/errors.ts";
import { truthfulState } from "../runs/run-heads.ts";
import type { WorkflowCode } from "../workflow/code/workflow-code.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { readRecipe } from "../workflow/shapes/run-recipe.ts";

/** How a graph may be drawn. */
export const GRAPH_FORMATS = ["ascii", "mermaid", "svg", "dot", "json"] as const;

export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** How a graph is drawn as text in a terminal. */
export type GraphTextOptions = TextOptions;

/** The graph of a workflow, or of a run of it; the document of `--format json`. */
export interface GraphDocument {
  readonly v: 1;
  readonly workflow: string;
  /** The pattern, or the shape of a workflow that has none. */
  readonly pattern: string;
  readonly run: { readonly id: string; readonly state: RunStatus } | null;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The graph of a workflow as its file describes it; a pattern of one's own draws itself only with its code. */
export async function graphOfDefinition(
  given: WorkflowDefinition,
  code?: WorkflowCode,
): Promise<GraphDocument> {
  const shape = await shapeOf(given, code);
  const definition = shape.complete(given);
  const pattern = shape.label(definition);
  const graph = await shape.graph(definition);
  return { v: 1, workflow: definition.name, pattern, run: null, ...graph };
}

/** The graph of a run with what each step has come to. Raises RUN_NEVER_BEGAN, RUN_NOT_FOUND, STORE_* errors. */
export async function graphOfRun(machine: Machine, id: string): Promise<GraphDocument> {
  const journal = machine.store.open(id, "read");
  try {
    const events = [...journal.read()];
    if (events.length === 0) throw neverBegan({ run: id });
    const state = foldAll(id, events);
    const { definition } = await readRecipe(id, journal.blob(state.run.definitionHash));
    const shape = await shapeOf(definition);
    const graph = withRunState(await shape.graph(definition), state, events);
    const holder = journal.leaseHolder();
    const owner = holder === undefined || machine.isGone(holder) ? undefined : holder;
    const run = { id, state: truthfulState(runStatus(state), owner) };
    return { v: 1, workflow: definition.name, pattern: shape.label(definition), run, ...graph };
  } finally {
    journal.close();
  }
}

/** Draws a graph; what a format needs is loaded with the first drawing in it. */
export async function drawGraph(
  graph: GraphDocument,
  format: GraphFormat,
  options: GraphTextOptions,
): Promise<string> {
  return `${(await linesOf(graph, format, options)).join("\n")}\n`;
}

async function linesOf(
  graph: GraphDocument,
  format: GraphFormat,
  options: GraphTextOptions,
): Promise<readonly string[]> {
  const title = graph.run === null ? graph.workflow : `${graph.workflow} ${graph.run.id}`;
  switch (format) {
    case "ascii": {
      const { asciiGraph } = await import("../../observers/graph/ascii/ascii-graph.ts");
      return asciiGraph(graph, options);
    }
    case "mermaid": {
      const { mermaidGraph } = await import("../../observers/graph/mermaid-graph.ts");
      return mermaidGraph(graph);
    }
    case "dot": {
      const { dotGraph } = await import("../../observers/graph/dot-graph.ts");
      return dotGraph(title, graph);
    }
    case "svg": {
      const { svgGraph } = await import("../../observers/graph/svg-graph.ts");
      return svgGraph(title, graph);
    }
    case "json":
      return [JSON.stringify(graph)];
  }
}
