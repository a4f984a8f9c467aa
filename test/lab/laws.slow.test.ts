import { expect, test } from "vitest";
import { createLab } from "./create-lab.ts";
import { drawPlot } from "./draw-plot.ts";
import { EXPERIMENTS } from "./experiments.ts";

// A share of the tries of the lab: the bounds are wider, the laws the same.
const SHARE = 0.4;

test.for(EXPERIMENTS)(
  "what is published of $name holds for simulated participants",
  async (experiment) => {
    const { claims, plot } = await experiment.run(createLab("tests", SHARE));
    expect(claims.filter(({ holds }) => !holds)).toEqual([]);
    const svg = drawPlot(plot);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*<\/svg>\n$/s);
    for (const { label } of plot.lines.filter(({ isLaw }) => !isLaw))
      expect(svg).toContain(label.split(" ")[0]);
  },
);
