/** A way to work together that may suit a goal, as data. */
export interface AdviceRule {
  readonly pattern: string;
  /** Words of a goal that speak for it. */
  readonly words: RegExp;
  /** Fewer agents than that cannot do it. */
  readonly leastAgents: number;
  readonly why: string;
  /** What is known of it, in one sentence, and where that stands. */
  readonly law: string;
  readonly source: string;
  /** The workflow to begin with, without its name and pattern. */
  begin(ids: readonly string[]): string;
}

const list = (ids: readonly string[], more = "") =>
  ids.map((id) => `  - { id: ${id}, backend: claude${more} }`).join("\n");
const numbered = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word}${index + 1}`);
const READS = ", permissionMode: plan";
const TOPOLOGY = "arXiv 2512.08296";

/** All rules; of two that fit equally well the earlier one counts. */
export const ADVICE_RULES: readonly AdviceRule[] = [
  {
    pattern: "consensus",
    words: /\b(?:decide|decision|whether|approve|vote|choose|choice|accept|safe|should|may)\b/gi,
    leastAgents: 3,
    why: "it is a decision, and several who judge on their own are wrong less often than one",
    law: "Condorcet: a majority of independent voters, each right more often than not, errs less the more vote; what they get wrong together stays wrong",
    source: "Condorcet 1785; arXiv 2203.11171",
    begin: (ids) =>
      `agents:\n${list(numbered("voter", ids.length), `, role: voter${READS}`)}\nconsensus: { proposal: "{{task}}", type: majority }`,
  },
  {
    pattern: "debate",
    words: /\b(?:argue|argument|debate|trade-?offs?|versus|vs|pros|cons|compare|alternatives?)\b/gi,
    leastAgents: 3,
    why: "it has sides, and a judge hears the best case for each",
    law: "debate alone is a martingale: on average it makes nobody more right, so whoever judges or votes in the end is what helps",
    source: "arXiv 2508.17536, 2305.14325",
    begin: (ids) =>
      `agents:\n${list(numbered("side", ids.length - 1), READS)}\n${list(["judge"], `, role: judge${READS}`)}\ndebate: { topic: "{{task}}", maxRounds: 2 }`,
  },
  {
    pattern: "cascade",
    words:
      /\b(?:cheap|cheaply|cost|costs|classify|label|triage|tickets?|questions|route|every|each)\b/gi,
    leastAgents: 2,
    why: "much of it is easy, and only what a small model is not sure of needs a strong one",
    law: "FrugalGPT: as right as the strong model at up to 98 percent less, if the small one knows when it is not sure",
    source: "arXiv 2305.05176",
    begin: () =>
      `agents:\n  - { id: small, backend: claude, model: haiku${READS} }\n  - { id: strong, backend: claude, model: opus${READS} }\ncascade:\n  tiers:\n    - { agent: small, confidenceThreshold: 0.8 }\n    - { agent: strong, costWeight: 20 }`,
  },
  {
    pattern: "verifier",
    words:
      /\b(?:fix|bug|implement|test|tests|prove|correct|verify|check|build|mend|repair|migrate)\b/gi,
    leastAgents: 2,
    why: "what comes of it can be checked, and one who checks keeps errors from going on",
    law: "errors grow 17 times among independent agents and 4 times where one checks them",
    source: TOPOLOGY,
    begin: () =>
      "agents:\n  - { id: worker, backend: claude }\n  - { id: checker, backend: claude, permissionMode: plan }\nverifier: { worker: worker, verifier: checker, maxAttempts: 2 }",
  },
  {
    pattern: "scatter-gather",
    words:
      /\b(?:research|survey|summari[sz]e|read|audit|all|across|modules|files|find|search|review)\b/gi,
    leastAgents: 3,
    why: "its parts can be read side by side, and one makes an answer of them",
    law: "work in parallel parts gained 81 percent with one in the middle; work in sequence lost 39 to 70",
    source: TOPOLOGY,
    begin: (ids) =>
      `agents:\n${list(numbered("part", ids.length - 1), READS)}\n${list(["editor"], `, role: lead${READS}`)}\nscatterGather: { gather: editor }`,
  },
  {
    pattern: "pool",
    words: /\b(?:best|optimi[sz]e|faster|slogan|names?|ideas|improve|better|creative|score)\b/gi,
    leastAgents: 2,
    why: "answers can be compared by a mark, and better ones are made of the best",
    law: "of many samples the best one solves more: 16 to 56 percent with 250 of them, where a check can tell which it is",
    source: "arXiv 2407.21787",
    begin: (ids) =>
      `agents:\n${list(["writer", "reader"], READS)}\npool: { agent: writer, judge: reader, populationSize: ${Math.max(2, ids.length)}, cullRate: 0.5, maxGenerations: 2 }`,
  },
  {
    pattern: "auction",
    words: /\b(?:assign|allocate|who|whoever|specialists?|experts?|bid|cheapest)\b/gi,
    leastAgents: 2,
    why: "somebody among them is best for it, and they know it themselves",
    law: "Vickrey: where the winner pays the second price, bidding what it really costs is best for each",
    source: "Vickrey 1961",
    begin: (ids) =>
      `agents:\n${list(numbered("bidder", ids.length))}\nauction: { type: vickrey, bidBy: cost, reservePrice: 8 }`,
  },
];
