import { describe, expect, test } from "vitest";
import { dotGraph } from "../../../src/observers/graph/dot-graph.ts";
import { nodeLabel } from "../../../src/observers/graph/graph-text.ts";
import { mermaidGraph } from "../../../src/observers/graph/mermaid-graph.ts";
import { svgGraph } from "../../../src/observers/graph/svg-graph.ts";
import { dagOf, drawn, graphFor, withEach } from "./graph-cases.ts";

const FEATURE = dagOf({
  plan: "",
  approve: "plan",
  "code-api": "approve",
  "code-ui": "approve",
  "code-db": "approve",
  test: "code-api code-ui code-db",
  review: "test",
  report: "review",
});

describe("a drawing in a terminal", () => {
  test("branches and joins like the paper sketch of a dag [LIM-2]", () => {
    expect(drawn(FEATURE)).toBe(`
 plan ─▶ approve ─┬▶ code-api ─┬▶ test ─▶ review ─▶ report
                  ├▶ code-ui  ─┤
                  └▶ code-db  ─┘
`);
  });

  test("needs only ASCII where there is nothing else", () => {
    expect(drawn(FEATURE, { isAscii: true })).toBe(`
 plan -> approve -+> code-api -+> test -> review -> report
                  +> code-ui  -+
                  +> code-db  -+
`);
  });

  test("is one line for a pipeline", () => {
    const steps = ["draft", "critique", "revise"].map((id) => ({ id }));
    expect(drawn(graphFor({ agents: [{ id: "a" }], steps }, "list"))).toBe(`
 draft ─▶ critique ─▶ revise
`);
  });

  test("is one row per worker for a fan-out of 50", () => {
    const ids = Array.from({ length: 50 }, (_, index) => `worker-${index + 1}`);
    const graph = graphFor({ agents: [{ id: "a" }], steps: ids.map((id) => ({ id })) }, "none");
    expect(drawn(graph)).toBe(`\n${ids.map((id) => ` ${id}`).join("\n")}\n`);
  });

  test("lets many-to-many lines meet in one point", () => {
    expect(drawn(dagOf({ a: "", b: "", c: "a b", d: "a b", e: "c d" }))).toBe(`
 a ─┬─┬▶ c ─┬▶ e
 b ─┘ └▶ d ─┘
`);
  });

  test("lets lines that met meet others", () => {
    expect(drawn(dagOf({ a: "", b: "", c: "", f: "a", d: "a b c", e: "a b c" }))).toBe(`
 a ─┬─────▶ f
    └──┬─┬▶ d
 b ──┬─┘ └▶ e
 c ──┘
`);
  });

  test("keeps lines apart that share only some of their ends", () => {
    expect(
      drawn(dagOf({ a: "", b: "", c: "", d: "", x: "a b", y: "b c", z: "c d", end: "x y z" })),
    ).toBe(`
 a ──┬▶ x ─┬▶ end
 b ─┬┘     │
    └┬▶ y ─┤
 c ─┬┘     │
    └┬▶ z ─┘
 d ──┘
`);
  });

  test("leaves out what a longer way says, and tells it below", () => {
    expect(drawn(dagOf({ plan: "", code: "plan", report: "code plan" }))).toBe(`
 plan ─▶ code ─▶ report
 report also waits for plan
`);
  });

  test("tells conditions, barriers and who helps out", () => {
    const graph = graphFor({
      agents: [{ id: "coder" }, { id: "helper", name: "Helping Hand" }, { id: "lead" }],
      steps: [
        { id: "build", agent: "coder", fallback: ["helper"], escalateTo: "lead" },
        { id: "ship", agent: "lead", dependsOn: ["built"], when: "task != ''", escalateTo: "lead" },
      ],
      barriers: [{ id: "built", waitFor: ["coder"], signal: "BUILT", type: "all" }],
    });
    expect(drawn(graph)).toBe(`
 build ─▶ [built] ─▶ ship?
 if build fails: helper (Helping Hand) (fallback), then lead (escalation)
 a step with ? has a condition, which is decided at run time
`);
  });

  test("tells who watches what, in every format [MSG-10]", () => {
    const shadow = {
      ...{ of: "coder", receiveIncoming: true, receiveOutgoing: true },
      speakOn: ["ALL_MESSAGES" as const],
    };
    const graph = graphFor({
      agents: [{ id: "coder" }, { id: "lead" }, { id: "coder-Shadow", shadow }],
      steps: [
        { id: "build", agent: "coder" },
        { id: "ship", agent: "lead", dependsOn: ["build"] },
        { id: "fix", agent: "coder", dependsOn: ["ship"] },
      ],
    });
    expect(drawn(graph)).toBe(`
 build ─▶ ship ─▶ fix
 coder-Shadow watches build, fix
`);
    expect(mermaidGraph(graph)).toContain("  n0 -.->|shadow| n3");
    expect(dotGraph("x", graph)).toContain('  n0 -> n3 [label="shadow", style="dashed"];');
    expect(svgGraph("x", graph).join("")).toContain('class="edge shadow"');
  });

  test("becomes a list where it is too wide, with agents and what each step waits for", () => {
    const graph = dagOf({ "a-long-name": "", "a-longer-name": "a-long-name" });
    expect(drawn(graph, { width: 28 })).toBe(`
 a-long-name    coder · script
 a-longer-name  coder · script  after a-long-name
 as a list: a drawing would be wider than 28 columns, or its lines would cross
`);
  });

  test("becomes a list where lines would cross, and where they go round in a circle", () => {
    const crossing = dagOf({ a: "", b: "", c: "", x: "a b", y: "b c", z: "a c" });
    expect(drawn(crossing)).toContain(" as a list: ");
    const circle = {
      nodes: crossing.nodes.slice(0, 2),
      edges: [
        { from: "a", to: "b", kind: "order" as const },
        { from: "b", to: "a", kind: "order" as const },
      ],
    };
    expect(drawn(circle)).toContain(" b  coder · script  after a\n");
  });

  test("aligns lists by what characters take in a terminal", () => {
    const graph = withEach(dagOf({ a: "", b: "a" }), (_node, index) => ({
      label: index === 0 ? "日本語" : "b",
    }));
    expect(drawn(graph, { width: 10 })).toContain(
      " 日本語  coder · script\n b       coder · script  after a",
    );
  });

  test("shows the status of every node by a sign, in colour, and counts them in words", () => {
    const statuses = ["completed", "failed", "retrying", "waiting", "running"] as const;
    const graph = withEach(FEATURE, (_node, index) => ({ status: statuses[index] ?? "pending" }));
    expect(drawn(graph, { paint: (text, role) => (role === "failed" ? `<${text}>` : text) })).toBe(`
 ✔ plan ─▶ <✖ approve> ─┬▶ ↻ code-api ─┬▶ test ─▶ review ─▶ report
                      ├▶ ▲ code-ui  ─┤
                      └▶ ● code-db  ─┘
 ✔ 1 completed   <✖ 1 failed>   ↻ 1 retrying   ▲ 1 waiting   ● 1 running   3 pending
`);
  });
});

test("a label is one line that shows every mark in it [T12]", () => {
  const label = "a\u001b[31m\n\u202eb";
  expect(nodeLabel({ id: "x", kind: "step", label })).toBe("a <U+202E>b");
});
