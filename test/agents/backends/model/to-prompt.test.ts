import { expect, test } from "vitest";
import type { SessionEntry } from "../../../../src/agents/backends/model/loop/entry.ts";
import { PromptWriter } from "../../../../src/agents/backends/model/loop/to-prompt.ts";

const told = (text: string): SessionEntry => ({ kind: "told", turn: 1, why: "prompt", text });
const asked = (call: string): SessionEntry => ({
  ...{ kind: "answer", turn: 1, finish: "calls" },
  parts: [{ type: "call", call, id: `id-${call}`, tool: "look", input: "{}" }],
});
const result = (call: string, text: string): SessionEntry => ({
  ...{ kind: "result", call, isError: false, isBad: false, text },
});

test("what a model was shown once is shown as it was, however long the session becomes, and has the hash that it always had [LOOP-12]", () => {
  const entries: SessionEntry[] = [told("go")];
  const prompts = new PromptWriter();
  let before = prompts.show("be good", entries);
  for (let call = 1; call <= 300; call += 1) {
    entries.push(asked(`${call}`), result(`${call}`, `seen ${call}`));
    const now = prompts.show("be good", entries);
    // All but the system prompt and the last message, which is marked for caches, are the very same.
    const [kept, old] = [now.prompt.slice(1, -3), before.prompt.slice(1, -1)];
    expect(kept.every((message, index) => message === old[index])).toBe(true);
    expect(now.hash).not.toBe(before.hash);
    before = now;
  }
  expect(before.prompt).toHaveLength(1 + 1 + 2 * 300);
  expect(new PromptWriter().show("be good", entries)).toEqual(before);
  expect(new PromptWriter().show("be bad", entries).hash).not.toBe(before.hash);
});

test("a call that is answered later is shown as cancelled only until then [LOOP-11, LOOP-12]", () => {
  const entries: SessionEntry[] = [told("go"), asked("1")];
  const prompts = new PromptWriter();
  expect(JSON.stringify(prompts.show("", entries).prompt)).toContain("cancelled");
  entries.push(result("1", "seen"));
  const shown = prompts.show("", entries);
  expect(JSON.stringify(shown.prompt)).not.toContain("cancelled");
  expect(JSON.stringify(shown.prompt)).toContain("seen");
});
