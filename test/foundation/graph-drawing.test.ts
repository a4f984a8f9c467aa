import { expect, test } from "vitest";
import {
  type DrawnLink,
  type LayoutOptions,
  layoutGraph,
  linePath,
} from "../../src/foundation/graph-layout.ts";
import type { SizedNode } from "../../src/foundation/graph-spots.ts";

interface Graph {
  readonly nodes: readonly SizedNode[];
  readonly links: readonly DrawnLink[];
}

/** Links of every kind: past layers, back, to their own node, with texts, to nowhere; nodes without any. */
const flow: Graph = {
  nodes: [
    { id: "plan", width: 160, height: 50 },
    { id: "build", width: 200, height: 50 },
    { id: "test", width: 120, height: 70 },
    { id: "review", width: 160, height: 51 },
    { id: "ship", width: 100, height: 50 },
    { id: "late", width: 80, height: 40 },
    { id: "lead", width: 90, height: 50 },
    { id: "notes", width: 140, height: 40 },
    { id: "log", width: 60, height: 60 },
    { id: "memo", width: 100, height: 30 },
  ],
  links: [
    { from: "plan", to: "build", labelWidth: 0 },
    { from: "plan", to: "test", labelWidth: 30 },
    { from: "build", to: "review", labelWidth: 0 },
    { from: "test", to: "review", labelWidth: 80 },
    { from: "review", to: "build", labelWidth: 40 },
    { from: "review", to: "review", labelWidth: 50 },
    { from: "review", to: "ship", labelWidth: 0 },
    { from: "plan", to: "ship", labelWidth: 0 },
    { from: "late", to: "ship", labelWidth: 0 },
    { from: "lead", to: "late", labelWidth: 0 },
    { from: "nowhere", to: "plan", labelWidth: 0 },
    { from: "ship", to: "plan", labelWidth: 20 },
  ],
};

/** All of a drawing: its size, the corners of its nodes, its lines with the middles of their texts. */
function drawn(
  graph: Graph,
  { direction = "right", wrapWidth = 400 }: Partial<LayoutOptions> = {},
): readonly string[] {
  const { nodes: given, links } = graph;
  const { width, height, nodes, lines } = layoutGraph(given, links, { direction, wrapWidth });
  return [
    `${width} ${height}`,
    ...[...nodes].map(([id, { x, y }]) => `${id} ${x},${y}`),
    ...lines.map(
      ({ link, points, label }) =>
        `${link.from}-${link.to} ${linePath({ link, points }, direction)} ${label.x},${label.y}`,
    ),
  ];
}

test("a flow with links of every kind is drawn from left to right in these places", () => {
  expect(drawn(flow)).toEqual([
    "834 366",
    "plan 0,131",
    "build 218,0",
    "test 258,70",
    "lead 273,160",
    "review 526,42",
    "late 566,148",
    "ship 734,143",
    "notes 0,306",
    "log 160,306",
    "memo 320,306",
    "plan-build M160,141C189,141 189,25 218,25 189,83",
    "plan-test M160,151C189,151 189,105 218,105L258,105 189,128",
    "build-review M418,18C472,18 472,53.5 526,53.5 472,35.75",
    "test-review M378,105L418,105C472,105 472,81.5 526,81.5 472,93.25",
    "review-build M526,67.5C472,67.5 472,32 418,32 472,49.75",
    "review-review M594,42C585,16 627,16 618,42 652,29",
    "review-ship M686,67.5C710,67.5 710,153 734,153 710,110.25",
    "plan-ship M160,161C189,161 189,233 218,233L418,233C472,233 472,214 526,214L686,214C710,214 710,173 734,173 189,197",
    "late-ship M646,168L686,168C710,168 710,163 734,163 710,165.5",
    "lead-late M363,185L418,185C472,185 472,168 526,168L566,168 472,176.5",
    "ship-plan M734,183C710,183 710,259 686,259L526,259L418,259L218,259C189,259 189,171 160,171 710,221",
  ]);
});

test("the same flow is drawn from above in these places", () => {
  expect(drawn(flow, { direction: "down" })).toEqual([
    "502 539",
    "plan 258,0",
    "build 0,118",
    "test 220,108",
    "lead 360,118",
    "review 112,286",
    "late 332,291.5",
    "ship 313,385",
    "notes 0,479",
    "log 160,479",
    "memo 320,479",
    "plan-build M323,50C323,79 100,79 100,108L100,118 211.5,79",
    "plan-test M333,50C333,79 280,79 280,108 306.5,79",
    "build-review M93,168L93,178C93,232 178,232 178,286 135.5,232",
    "test-review M280,178C280,232 206,232 206,286 243,232",
    "review-build M192,286C192,232 107,232 107,178L107,168 149.5,232",
    "review-review M112,299.5C86,290.5 86,332.5 112,323.5 99,357.5",
    "review-ship M192,337C192,361 348,361 348,385 270,361",
    "plan-ship M343,50C343,79 473,79 473,108L473,178C473,232 445,232 445,286L445,337C445,361 368,361 368,385 408,79",
    "late-ship M372,331.5L372,337C372,361 358,361 358,385 365,361",
    "lead-late M405,168L405,178C405,232 372,232 372,286L372,291.5 388.5,232",
    "ship-plan M378,385C378,361 499,361 499,337L499,286L499,178L499,108C499,79 353,79 353,50 438.5,361",
  ]);
});

const sized = (id: string, width = 100, height = 50): SizedNode => ({ id, width, height });

/** Links between nodes of 100 by 50, as `a-b`. */
function webOf(...links: readonly string[]): Graph {
  const pairs = links.map((link) => link.split("-"));
  const ids = new Set(pairs.flat());
  return {
    nodes: [...ids].map((id) => sized(id)),
    links: pairs.map(([from = "", to = ""]) => ({ from, to, labelWidth: 0 })),
  };
}

test("lines that need not cross do not", () => {
  expect(drawn(webOf("a-d", "b-c", "a-e", "c-g", "d-f", "e-f"))).toEqual([
    "388 190",
    "a 0,35",
    "b 0,140",
    "d 144,0",
    "e 144,70",
    "c 144,140",
    "f 288,35",
    "g 288,140",
    "a-d M100,60C122,60 122,25 144,25 122,42.5",
    "b-c M100,165L144,165 122,165",
    "a-e M100,60C122,60 122,95 144,95 122,77.5",
    "c-g M244,165L288,165 266,165",
    "d-f M244,25C266,25 266,60 288,60 266,42.5",
    "e-f M244,95C266,95 266,60 288,60 266,77.5",
  ]);
});

test("what long lines pass makes room for them, and what leads to them stands right before them", () => {
  expect(
    drawn(
      webOf(
        ...["a-d", "a-e", "b-e", "c-f", "d-g", "e-g", "f-g", "g-h", "a-h", "c-h", "b-g"],
        ...["x-y", "y-h", "h-i", "i-b", "z-i", "z-g"],
      ),
    ),
  ).toEqual([
    "964 338",
    "a 0,49",
    "c 0,133",
    "d 144,26",
    "f 144,96",
    "z 144,218",
    "x 144,288",
    "g 288,103",
    "y 288,225",
    "h 432,168",
    "i 576,186",
    "b 720,119",
    "e 864,65",
    "a-d M100,74C122,74 122,51 144,51 122,62.5",
    "a-e M100,74C122,74 122,3 144,3L244,3L288,3L388,3L432,3L532,3L576,3L676,3L720,3L820,3C842,3 842,76 864,76 122,38.5",
    "b-e M820,144C842,144 842,104 864,104 842,124",
    "c-f M100,158C122,158 122,121 144,121 122,139.5",
    "d-g M244,51C266,51 266,128 288,128 266,89.5",
    "e-g M864,90C842,90 842,96 820,96L720,96L676,96L576,96L532,96L432,96C410,96 410,114 388,114 842,93",
    "f-g M244,121C266,121 266,128 288,128 266,124.5",
    "g-h M388,142C410,142 410,193 432,193 410,167.5",
    "a-h M100,74C122,74 122,169 144,169L244,169C266,169 266,176 288,176L388,176C410,176 410,193 432,193 122,121.5",
    "c-h M100,158C122,158 122,195 144,195L244,195C266,195 266,202 288,202L388,202C410,202 410,193 432,193 122,176.5",
    "b-g M720,137C698,137 698,127 676,127L576,127L532,127L432,127C410,127 410,128 388,128 698,132",
    "x-y M244,313C266,313 266,250 288,250 266,281.5",
    "y-h M388,250C410,250 410,193 432,193 410,221.5",
    "h-i M532,193C554,193 554,211 576,211 554,202",
    "i-b M676,211C698,211 698,151 720,151 698,181",
    "z-i M244,243C266,243 266,298 288,298L388,298L432,298L532,298C554,298 554,211 576,211 266,270.5",
    "z-g M244,243C266,243 266,128 288,128 266,185.5",
  ]);
});

test("a link to its own node has room above it, and its text beside it", () => {
  const links = [{ from: "a", to: "a", labelWidth: 90 }];
  expect(drawn({ nodes: [sized("a")], links })).toEqual([
    "161 102",
    "a 0,26",
    "a-a M38,26C29,0 71,0 62,26 116,13",
  ]);
});

test("nodes without links stand in rows of as many as fit", () => {
  const nodes = ["a", "b", "c", "d"].map((id) => sized(id));
  expect(drawn({ nodes, links: [] }, { wrapWidth: 340 })).toEqual([
    "340 120",
    "a 0,0",
    "b 120,0",
    "c 240,0",
    "d 0,70",
  ]);
  expect(drawn({ nodes, links: [] }, { wrapWidth: 339 })).toEqual([
    "220 120",
    "a 0,0",
    "b 120,0",
    "c 0,70",
    "d 120,70",
  ]);
  expect(drawn({ nodes, links: [] }, { wrapWidth: 1000 })).toEqual([
    "460 50",
    "a 0,0",
    "b 120,0",
    "c 240,0",
    "d 360,0",
  ]);
});
