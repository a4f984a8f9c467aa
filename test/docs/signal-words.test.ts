import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SIGNAL_FORMS } from "../../src/signals/signal-forms.ts";
import { root } from "./pages.ts";

test("every word that is taken out of an answer is in the guide of signal words", () => {
  const text = readFileSync(join(root, "docs/guides/signal-words.md"), "utf8");
  expect([...SIGNAL_FORMS.keys()].filter((word) => !text.includes(`\`${word}:\``))).toEqual([]);
});
