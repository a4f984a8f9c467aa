import { expect, test } from "vitest";
import { findMentions } from "../../src/messaging/mentions.ts";
import { processorMs } from "../testing/processor-time.ts";

// Apart from what mentions are: mutated code, which counts its own steps, is slow whatever it does.

const participants = { known: ["coder", "Reviewer", "tester-1", "a_b"], sender: "lead" };

test.each(["@", "@a", "a@", "`", "` ", "@a-a-a-a-a-a-a-a ", "@coder ", "`@``", "x"])(
  "a megabyte of %j is searched in under 200 ms [P18]",
  (unit) => {
    const given = unit.repeat((1024 * 1024) / unit.length);
    expect(processorMs(200, () => findMentions(given, participants))).toBeLessThan(200);
  },
);
