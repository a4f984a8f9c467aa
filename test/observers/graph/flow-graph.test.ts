import { expect, test } from "vitest";
import { cutBackLinks } from "../../../src/foundation/graph-layers.ts";
import { asciiGraph } from "../../../src/observers/graph/ascii/ascii-graph.ts";
import { graphOfFlow } from "../../../src/observers/graph/graph-of-flow.ts";
import { svgGraph } from "../../../src/observers/graph/svg-graph.ts";
import {
  defineStepWorkflow,
  type TestStepWorkflow,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { assertXml } from "./checkers.ts";
import { drawn, PLAIN } from "./graph-cases.ts";

const graphOf = (workflow: TestStepWorkflow) =>
  graphOfFlow(defineStepWorkflow(workflow), {
    workOf: () => ({ agents: [], workflows: [] }),
    waits: [],
  });
const flow = (steps: { readonly [id: string]: { readonly [key: string]: string } }) =>
  graphOf({ steps: Object.entries(steps).map(([id, routes]) => ({ id, type: "agent", routes })) });

test("a way back does not keep a workflow from being drawn; it is told below [LIM-2]", () => {
  expect(
    drawn(
      flow({ build: { next: "gate" }, gate: { on_approve: "ship", on_reject: "build" }, ship: {} }),
    ),
  ).toBe(`
 build ─▶ gate ─▶ ship
 gate: on_approve → ship, on_reject → build
`);
});

test("a step may lead back to itself, and by several keys to one other [LIM-2]", () => {
  const graph = flow({ ask: { on_error: "ask", next: "end", on_reject: "end" }, end: {} });
  expect(graph.edges).toEqual([
    { from: "ask", to: "ask", kind: "route", label: "on_error" },
    { from: "ask", to: "end", kind: "route", label: "next, on_reject" },
  ]);
  expect(drawn(graph)).toBe(`
 ask ─▶ end
 ask: on_error → ask, next, on_reject → end
`);
  assertXml(svgGraph("x", graph).join("\n"));
});

test("as a list, every step says where it goes on and what is inside of it [LIM-2]", () => {
  const graph = graphOf({
    steps: [
      {
        id: "all",
        type: "parallel",
        routes: { next: "gate" },
        steps: [{ id: "unit", type: "shell" }],
      },
      { id: "gate", type: "approval", routes: { next: "ship", on_reject: "all" } },
      { id: "ship", type: "agent" },
    ],
  });
  expect(asciiGraph(graph, { ...PLAIN, width: 14 }).slice(0, 4)).toEqual([
    " all     parallel  next → gate",
    "   unit  shell",
    " gate    approval  next → ship, on_reject → all",
    " ship    agent",
  ]);
});

test("what a file puts into names becomes no syntax and no control character [LIM-2, T12]", () => {
  const graph = flow({ a: { "th\u001b[8men": "b" }, b: {} });
  expect(drawn(graph)).not.toContain("\u001b");
  assertXml(svgGraph("x", flow({ a: { "<b>": "b" }, b: {} })).join("\n"));
});

test("cutting the ways back leaves no circle, at any depth [LIM-2]", () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => `s${index}`);
  const links = ids.map((from, index) => ({ from, to: ids[(index + 1) % ids.length] ?? "" }));
  expect(cutBackLinks(ids, links).back).toEqual([{ from: "s19999", to: "s0" }]);
});
