import { expect, test } from "vitest";
import { PromptQueue } from "../../src/agents/prompt-queue.ts";
import type { PromptItem } from "../../src/agents/turn-prompt.ts";
import { toErrorReport } from "../../src/foundation/errors.ts";

/** A prompt, and with what it was refused. */
function prompt(op: string, signal = new AbortController().signal) {
  const refused: unknown[] = [];
  const item: PromptItem = {
    ...{ op, key: op, input: { agent: "a", prompt: op }, signal },
    resolve: () => {},
    reject: (error) => refused.push(error),
  };
  return { item, refused };
}

test("prompts are taken in their order, one that is put back first; those that nobody waits for any more are settled with why", () => {
  const queue = new PromptQueue("a");
  const cut = new AbortController();
  const [one, two, three] = [prompt("one"), prompt("two", cut.signal), prompt("three")];
  expect([queue.isEmpty, queue.next()]).toEqual([true, undefined]);
  for (const { item } of [one, two, three]) queue.add(item);
  expect(queue.isEmpty).toBe(false);
  expect(queue.next()).toBe(one.item);
  queue.putBack(one.item);
  expect(queue.next()).toBe(one.item);
  cut.abort("enough");
  expect(queue.next()).toBe(three.item);
  expect([one.refused, two.refused, three.refused]).toEqual([[], ["enough"], []]);
});

test("what nobody takes any more is refused: with why it was cut off, else with the end of its agent", () => {
  const queue = new PromptQueue("ada");
  const cut = new AbortController();
  const [one, two] = [prompt("one"), prompt("two", cut.signal)];
  for (const { item } of [one, two]) queue.add(item);
  cut.abort("enough");
  queue.refuseAll("it was released");
  expect(queue.isEmpty).toBe(true);
  expect(one.refused.map((error) => toErrorReport(error))).toMatchObject([
    { code: "AGENT_GONE", message: 'agent "ada" takes no more turns: it was released' },
  ]);
  expect(two.refused).toEqual(["enough"]);
});
