import type { Claim, Experiment, Finding } from "./experiment.ts";

/** An experiment with what came of it. */
export interface Carried {
  readonly experiment: Experiment;
  readonly finding: Finding;
}

/** The page of the documentation that the lab writes; plots lie beside it, in `lab/`. */
export function renderPage(all: readonly Carried[], seed: string): string {
  return `# Lab: published laws, played

Written by \`npm run lab -- --write\` with the seed \`${seed}\`; nothing here is written by hand.

**All of this is simulation.** No model was asked. Participants are functions with chances that are named; they take part in Troupe's own
patterns and primitives. It shows that these do what is known of them, and what the laws say that \`troupe advise\` goes by. It does not
show how well a model does your work.

What was found stands with bounds of 99 percent. In plots laws are dashed, and bounds shaded.

${all.map(({ experiment, finding }) => section(experiment, finding)).join("\n")}`;
}

function section({ name, title, law, source, played }: Experiment, { claims }: Finding): string {
  return `## ${title}

${law} (${source})

*Played:* ${played}

![${title}](lab/${name}.svg)

| what | published | found | 99 percent | |
|---|---|---|---|---|
${claims.map(row).join("\n")}
`;
}

function row(claim: Claim): string {
  const { what, published, found, holds } = claim;
  return `| ${what} | ${published} | ${digits(claim, found.value)} | ${bounds(claim)} | ${holds ? "holds" : "**does not hold**"} |`;
}

/** A claim in one line, for the terminal. */
export function describeClaim(claim: Claim): string {
  const { what, published, found, holds } = claim;
  const verdict = holds ? "ok  " : "FAIL";
  return `${verdict} ${what}: ${digits(claim, found.value)} (${bounds(claim)}), published ${published}`;
}

function bounds(claim: Claim): string {
  const { low, high } = claim.found;
  return `${digits(claim, low)} to ${digits(claim, high)}`;
}

function digits({ digits: count }: Claim, value: number): string {
  const text = value.toFixed(count);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}
