import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { bindShadows } from "../../../src/programs/primitives/shadows/bind-shadows.ts";
import { defineTestWorkflow, type TestAgent } from "../../../src/testing/define-test-workflow.ts";
import { load } from "../../workflows/load-options.ts";

const patterns = await loadPatterns();

interface Cast {
  readonly agents: readonly TestAgent[];
  readonly options?: { readonly [key: string]: Json };
}

/** Who is tied to whom in a pattern, as it carries its agents out, also while a shadow watches each of them. */
function tiesIn(name: string, { agents, options = {} }: Cast): readonly string[] {
  const pattern = patterns.find((one) => one.name === name);
  const { agents: specs } = defineTestWorkflow({ agents });
  const shadows = bindShadows(specs, {}, () => ({ backend: "script", role: "voter" }));
  const [alone, watched] = [agents, [...shadows, ...agents]].map((all) => {
    const links = pattern?.links?.(defineTestWorkflow({ pattern: name, agents: all, options }));
    return links?.map(({ from, to }) => `${from} ${to}`) ?? [];
  });
  expect(watched).toEqual(alone);
  return alone ?? [];
}

const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];

test("without a key the hub is the only hub, else the only lead, else the only one that others report to; a shadow is nobody [PAT-who.hub, PAT-who.shadows]", () => {
  const ties = (...agents: readonly TestAgent[]) => tiesIn("hub-spoke", { agents });
  const lead = { ...a, role: "lead" } as const;
  expect(ties(lead, { ...b, role: "hub" }, c)).toEqual(["b a", "b c"]);
  expect(ties({ ...b, reportsTo: "c" }, lead, c)).toEqual(["a b", "a c"]);
  expect(ties({ ...a, reportsTo: "c" }, b, c)).toEqual(["c a", "c b"]);
});

test("without a key voters, judge and debaters are those of the role, else all, nobody, and all but the judge [PAT-who.roles, PAT-who.shadows]", () => {
  const voter = { ...b, role: "voter" } as const;
  expect(tiesIn("consensus", { agents: [a, voter, c] })).toEqual(["b decision"]);
  expect(tiesIn("consensus", { agents: [a, b] })).toEqual(["a decision", "b decision"]);
  const judge = { id: "j", role: "judge" } as const;
  const debater = (agent: TestAgent) => ({ ...agent, role: "debater" }) as const;
  const positions = { c: "x", a: "y" };
  const debates: readonly Cast[] = [
    { agents: [debater(a), b, judge, c], options: { positions } },
    { agents: [debater(a), judge, b, debater(c)] },
    { agents: [a, judge, b] },
    { agents: [a, b] },
  ];
  expect(debates.map((cast) => tiesIn("debate", cast))).toEqual([
    ["a round", "c round", "round j"],
    ["a round", "c round", "round j"],
    ["a round", "b round", "round j"],
    ["a round", "b round"],
  ]);
});

test("without a key the first agent is the entry and the others its routes, tiers are in the order of the file, and all are peers [PAT-who.order, PAT-who.shadows]", () => {
  const agents = [c, a, b];
  expect(tiesIn("handoff", { agents })).toEqual(["c a", "c b"]);
  expect(tiesIn("cascade", { agents })).toEqual(["c a", "a b"]);
  expect(tiesIn("mesh", { agents })).toEqual(["c round", "a round", "b round"]);
});

test.each([
  ["hub-spoke", "{ id: a }, { id: b }", "hub-spoke needs a hub, and no agent is one"],
  [
    "hub-spoke",
    "{ id: a, role: lead }, { id: b, role: lead }",
    "hub-spoke needs one hub, and a and b could be it",
  ],
  [
    "hub-spoke",
    "{ id: a }, { id: b, reportsTo: a }, { id: c, reportsTo: b }",
    "hub-spoke needs one hub, and a and b could be it",
  ],
  [
    "debate",
    "{ id: a }, { id: b }, { id: c, role: judge }, { id: d, role: judge }",
    "2 agents have the role judge",
  ],
  ["debate", "{ id: a }, { id: c, role: judge }", "a debate needs 2 debaters, there is 1"],
  ["hierarchical", "{ id: a }, { id: b }", 'agents "a" and "b" both report to nobody'],
])("%s of %s is refused at load [PAT-who.refused]", (pattern, agents, message) => {
  const { problems } = load(`name: f\npattern: ${pattern}\nagents: [${agents}]\n`);
  expect(problems).toContainEqual(expect.objectContaining({ code: "WORKFLOW_ROLE", message }));
});
