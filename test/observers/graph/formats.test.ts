import { describe, expect, test } from "vitest";
import type { WorkflowGraph } from "../../../src/contracts/graph.ts";
import { asciiGraph } from "../../../src/observers/graph/ascii/ascii-graph.ts";
import { dotGraph } from "../../../src/observers/graph/dot-graph.ts";
import { mermaidGraph } from "../../../src/observers/graph/mermaid-graph.ts";
import { svgGraph } from "../../../src/observers/graph/svg-graph.ts";
import { processorMs } from "../../testing/processor-time.ts";
import { assertDot, assertMermaid, assertXml } from "./checkers.ts";
import { dagOf, graphFor, layeredDag, PLAIN, withEach } from "./graph-cases.ts";

const HELPED = graphFor({
  agents: [{ id: "coder" }, { id: "helper" }],
  steps: [
    { id: "code", agent: "coder", fallback: ["helper"] },
    { id: "ship", agent: "coder", dependsOn: ["code", "built"] },
  ],
  barriers: [{ id: "built", waitFor: ["helper"], signal: "BUILT", type: "all" }],
});

test("mermaid shows steps, barriers and helpers, with states as classes [LIM-2]", () => {
  const graph = withEach(HELPED, ({ kind }) => (kind === "step" ? { status: "failed" } : {}));
  expect(mermaidGraph(graph)).toEqual([
    "flowchart LR",
    '  n0["code<br/>coder · script · failed"]',
    '  n1["ship<br/>coder · script · failed"]',
    '  n2{{"#91;built#93;<br/>barrier"}}',
    '  n3(["helper<br/>agent · script"])',
    "  n0 --> n1",
    "  n2 --> n1",
    "  n0 -.->|fallback| n3",
    "  classDef failed stroke:#c62828,stroke-width:3px",
    "  class n0,n1 failed",
  ]);
});

test("dot shows steps, barriers and helpers, with states as styles [LIM-2]", () => {
  const graph = withEach(HELPED, ({ kind }) =>
    kind === "step" ? { status: "retrying", attempt: 2, maxAttempts: 3 } : {},
  );
  expect(dotGraph("ship it", graph)).toEqual([
    'digraph "ship it" {',
    "  rankdir=LR;",
    '  node [fontname="sans-serif"];',
    '  n0 [label="code\\ncoder · script · retrying, attempt 2 of 3", shape=box, color="#ef6c00", penwidth=3];',
    '  n1 [label="ship\\ncoder · script · retrying, attempt 2 of 3", shape=box, color="#ef6c00", penwidth=3];',
    '  n2 [label="[built]\\nbarrier", shape=hexagon];',
    '  n3 [label="helper\\nagent · script", shape=oval];',
    "  n0 -> n1;",
    "  n2 -> n1;",
    '  n0 -> n3 [label="fallback", style="dashed"];',
    "}",
  ]);
});

describe("svg", () => {
  test("is whole by itself, named and described, for light and dark, and the same each time [LIM-2]", () => {
    const graph = dagOf({ plan: "", code: "plan", test: "plan", review: "code test" });
    const text = svgGraph("feature", graph).join("\n");
    assertXml(text);
    expect(svgGraph("feature", graph).join("\n")).toBe(text);
    expect(text).toContain('<title id="title">feature</title>');
    expect(text).toContain("review (coder, script) after code, test.</desc>");
    expect(text).toContain("prefers-color-scheme: dark");
    expect(text).not.toMatch(/(href|src)=|url\((?!#)|<script|<foreignObject/);
    expect(text.match(/class="edge dependency"/g)).toHaveLength(4);
    // What is written first stands on top.
    expect(placeOf(text, "code").y).toBeLessThan(placeOf(text, "test").y);
    expect(placeOf(text, "plan").x).toBeLessThan(placeOf(text, "code").x);
  });

  test("draws helpers as dashed lines unless there are too many, and tells them in any case", () => {
    expect(svgGraph("x", HELPED).join("\n")).toContain('class="edge fallback"');
    const ids = Array.from({ length: 40 }, (_, index) => `step-${index}`);
    const many = svgGraph(
      "x",
      graphFor({
        agents: [{ id: "coder" }, { id: "lead" }],
        steps: ids.map((id) => ({ id, agent: "coder", escalateTo: "lead" })),
      }),
    ).join("\n");
    expect(many).not.toContain('class="edge escalation"');
    expect(many).toContain("escalation: lead</title>");
  });

  test("places circles, and graphs that are too large for the finer way", () => {
    const circle: WorkflowGraph = {
      nodes: dagOf({ a: "", b: "" }).nodes,
      edges: [
        { from: "a", to: "b", kind: "order" },
        { from: "b", to: "a", kind: "order" },
      ],
    };
    assertXml(svgGraph("circle", circle).join("\n"));
    const large = svgGraph("large", layeredDag(260, 20)).join("\n");
    assertXml(large);
    expect(placeOf(large, "s0").x).toBeLessThan(placeOf(large, "s20").x);
    expect(placeOf(large, "s0").y).toBeLessThan(placeOf(large, "s1").y);
  });
});

const HOSTILE = [
  "</text><script>alert(1)</script>",
  '"]; evil [label="',
  "`code` **bold** %%{init: {}}%% #quot;",
  "line\nbreak\r\ttab",
  '\\N \\" \\n &quot; &amp;',
  "\u202eright to left\u2066 \u0000\u001b[31m\u009b \ud800 \ufffe",
  "--> n0; end subgraph ]]> <![CDATA[",
];

test.each(HOSTILE)("the label %j becomes syntax in no format [T12, LIM-2]", (label) => {
  const graph = withEach(HELPED, () => ({ label, agent: label, backend: label, condition: label }));
  const svg = svgGraph(label, graph).join("\n");
  assertXml(svg);
  expect(svg.match(/<[a-z]+/g)?.every((tag) => SVG_TAGS.has(tag))).toBe(true);
  assertMermaid(mermaidGraph(graph));
  assertDot(dotGraph(label, graph));
  for (const width of [80, 10]) {
    const text = asciiGraph(graph, { ...PLAIN, width }).join("");
    expect(text).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
  }
});

const SVG_TAGS = new Set(
  ["svg", "title", "desc", "style", "defs", "marker", "path", "g", "rect", "text"].map(
    (tag) => `<${tag}`,
  ),
);

test.each([
  ["a dag", layeredDag(1000, 50)],
  ["a chain", layeredDag(1000, 1)],
  ["a fan-out", layeredDag(1000, 1000)],
])("1,000 nodes of %s are drawn within a second in every format [LIM-2]", (_, graph) => {
  const limitMs = 1000;
  const drawings = [
    () => asciiGraph(graph, PLAIN),
    () => asciiGraph(graph, { ...PLAIN, width: 20_000 }),
    () => mermaidGraph(graph),
    () => dotGraph("large", graph),
    () => svgGraph("large", graph),
  ];
  for (const draw of drawings) expect(processorMs(limitMs, draw)).toBeLessThan(limitMs);
});

function placeOf(svg: string, label: string): { readonly x: number; readonly y: number } {
  const match = new RegExp(`<text x="([\\d.]+)" y="([\\d.]+)">${label}</text>`).exec(svg);
  return { x: Number(match?.[1]), y: Number(match?.[2]) };
}
