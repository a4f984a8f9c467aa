import { expect, test } from "vitest";
import { geminiDialect } from "../../../../src/agents/backends/gemini/gemini-dialect.ts";
import { toldBy } from "../acp/told.ts";

const dialect = geminiDialect("/home/user");
const told = (name: string) => toldBy({ folder: import.meta.dirname, dialect }, name);
const says = (text: string) => ({ type: "text-delta", text });
const used = (answers: number) => ({
  type: "usage",
  usage: { inputTokens: 1200 * answers, outputTokens: 50 * answers },
});
const stops = (reason: string, text: string) => ({ type: "stop", reason, text });

test("a text comes in parts and whole [AGT-2]", () => {
  const text = "Größe: one character at a time.";
  expect(told("text")).toEqual([says(text), used(1), stops("end_turn", text)]);
});

test("a command that was asked for first is told once, and all answers are counted [AGT-2, AGT-15]", () => {
  const call = { call: "run_shell_command__run_shell_command_1_0", tool: "Bash" };
  expect(told("command-failed")).toEqual([
    { type: "tool-call", ...call, input: { command: "cat missing" } },
    {
      type: "tool-result",
      ...call,
      isError: false,
      result: "cat: missing: No such file or directory",
    },
    says("there is none"),
    used(2),
    stops("end_turn", "there is none"),
  ]);
  expect(told("command")[1]).toMatchObject({ type: "tool-result", result: "made" });
});

test("of a denied command its program says nothing more, and the turn goes on [AGT-2, AGT-10]", () => {
  expect(told("command-denied")).toEqual([
    expect.objectContaining({ type: "tool-call", tool: "Bash" }),
    says("then not"),
    used(2),
    stops("end_turn", "then not"),
  ]);
});

test("files that are read and written are told by their paths [AGT-2]", () => {
  const updates = told("files");
  const fileAt = (name: string) => ({ file_path: `/project/${name}` });
  expect(updates.filter(({ type }) => type === "tool-call")).toMatchObject([
    { tool: "Read", input: fileAt("old.txt") },
    { tool: "Write", input: { ...fileAt("new.txt"), new_string: "made\n" } },
    { tool: "Edit", input: { ...fileAt("old.txt"), new_string: "first\ntwo\n" } },
  ]);
  expect(updates.filter(({ type }) => type === "file-change")).toEqual([
    { type: "file-change", path: "/project/new.txt", kind: "create" },
    { type: "file-change", path: "/project/old.txt", kind: "edit" },
  ]);
});

test("a cancelled turn ends as such; a refusal is told like any other end [AGT-2]", () => {
  expect(told("cancelled").at(-1)).toEqual(stops("cancelled", ""));
  expect(told("declined").at(-1)).toEqual(stops("end_turn", "I will not help with this."));
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
