import { expect, test } from "vitest";
import { HandOver } from "../../../src/agents/health/hand-over.ts";

test("of a turn that had done and said nothing there is nothing to tell [AGT-7.crash]", () => {
  const handOver = new HandOver();
  handOver.take({ type: "activity" });
  handOver.take({ type: "tool-result", call: "gone", tool: "Bash", isError: false, result: "x" });
  expect(handOver.tell(" \n")).toBeUndefined();
});

test("what was only said, or only done, is told alone; what was said loses its margins [AGT-7.crash]", () => {
  const handOver = new HandOver();
  expect(handOver.tell("\n half done \n")).toBe("It had said last:\n> half done");
  handOver.take({ type: "tool-call", call: "1", tool: "Bash", input: { command: "make" } });
  expect(handOver.tell("")).toBe('It called these tools:\n> Bash {"command":"make"}');
});

test("of many calls the last twenty are told, and how many came before [AGT-7.crash]", () => {
  const told = (calls: number) => {
    const handOver = new HandOver();
    for (let call = 1; call <= calls; call += 1)
      handOver.take({ type: "tool-call", call: `${call}`, tool: "Read", input: call });
    handOver.take({ type: "tool-result", call: "1", tool: "Read", isError: false, result: "" });
    return handOver.tell("")?.split("\n").slice(1);
  };
  expect(told(20)).toHaveLength(20);
  expect(told(20)?.[0]).toBe("> Read 1 (done)");
  expect(told(23)).toHaveLength(21);
  expect(told(23)?.slice(0, 2)).toEqual(["> … 3 earlier", "> Read 4"]);
});

test("a long call is one short line, and of many words the last are told [AGT-7.crash, T8]", () => {
  const handOver = new HandOver();
  handOver.take({ type: "tool-call", call: "1", tool: "a\n\t b", input: "x".repeat(158) });
  handOver.take({ type: "tool-call", call: "2", tool: "Bash", input: "y".repeat(159) });
  const [, whole, cut, , said] =
    handOver.tell(`${"a".repeat(5)}${"b".repeat(2000)}`)?.split("\n") ?? [];
  expect(whole).toBe(`> a b "${"x".repeat(158)}"`);
  expect(cut).toBe(`> Bash "${"y".repeat(159)}…`);
  expect(said).toBe(`> ${"b".repeat(2000)}`);
});
