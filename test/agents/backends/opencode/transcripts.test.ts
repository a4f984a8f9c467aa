import { expect, test } from "vitest";
import { toldBy } from "../acp/told.ts";

const told = (name: string) => toldBy({ folder: import.meta.dirname, dialect: {} }, name);
const says = (text: string) => ({ type: "text-delta", text });
const usage = { type: "usage", usage: { inputTokens: 1200, outputTokens: 50, cachedTokens: 1000 } };
const stops = (reason: string, text: string) => ({ type: "stop", reason, text });

test("a text comes in parts and whole [AGT-2]", () => {
  const text = "Größe: one character at a time.";
  expect(told("text")).toEqual([says(text), usage, stops("end_turn", text)]);
});

test("a command is told once, with its result [AGT-2]", () => {
  const call = { call: "call-1", tool: "Bash" };
  expect(told("command")).toEqual([
    {
      type: "tool-call",
      ...call,
      input: expect.objectContaining({ command: "echo made > f; cat f" }),
    },
    { type: "tool-result", ...call, isError: false, result: "made\n" },
    says("it said made\n"),
    usage,
    stops("end_turn", "it said made\n"),
  ]);
  expect(told("command-failed")[1]).toMatchObject({
    result: expect.stringContaining("No such file"),
  });
});

test("a denied command is a failed one, and the turn goes on [AGT-2, AGT-10]", () => {
  expect(told("command-denied")).toEqual([
    expect.objectContaining({ type: "tool-call", tool: "Bash" }),
    expect.objectContaining({ type: "tool-result", tool: "Bash", isError: true }),
    says("then not"),
    usage,
    stops("end_turn", "then not"),
  ]);
});

test("files that are read and written are told by their paths [AGT-2]", () => {
  const [read, write, edit] = ["old.txt", "new.txt", "old.txt"].map((name) => ({
    file_path: `/project/${name}`,
  }));
  const updates = told("files");
  expect(updates.filter(({ type }) => type === "tool-call")).toMatchObject([
    { tool: "Read", input: read },
    { tool: "Write", input: { ...write, content: "made\n" } },
    { tool: "Edit", input: { ...edit, oldString: "one", newString: "first" } },
  ]);
  expect(updates.filter(({ type }) => type === "file-change")).toEqual([
    { type: "file-change", path: "/project/new.txt", kind: "create" },
    { type: "file-change", path: "/project/old.txt", kind: "edit" },
  ]);
});

test("a cancelled turn and a refusal end in words of their own [AGT-2]", () => {
  expect(told("cancelled").at(-1)).toEqual(stops("cancelled", ""));
  expect(told("declined").at(-1)).toEqual(stops("refusal", "I will not help with this."));
});

test.each([
  ["cut", "BACKEND_PROVIDER_FAILED"],
  ["error-400", "BACKEND_PROVIDER_REFUSED"],
  ["error-401", "BACKEND_NOT_SIGNED_IN"],
  ["error-429", "BACKEND_OVERLOADED"],
  ["error-500", "BACKEND_PROVIDER_FAILED"],
])("%s ends the turn with an error of its own [AGT-2, LOOP-5]", (name, code) => {
  expect(told(name).at(-1)).toMatchObject({ type: "error", error: { code } });
});
