import { expect, test } from "vitest";
import { runKickoff } from "./kickoff-run.ts";

const flow = (agents: string) => `name: flow\ncontext:\nagents:\n${agents}\nkickoff: go @a\n`;

test("who mentions nobody in the text of a turn is told the known names with the next turn, and the run at once [MSG-2]", async () => {
  const end = await runKickoff(flow("  a: {}\n  coder: {}"), {
    turns: {
      a: [
        { say: "@nobody please look @codr, or @coder" },
        {
          expect: "You mention @nobody, @codr, but nobody is called so; known: coder.",
          say: "I see",
        },
      ],
      coder: [{ say: "@a back to you" }],
    },
  });
  expect(end.all("author-told")).toMatchObject([{ agent: "a", turn: 1 }]);
  expect(end.outcome).toBe("completed");
  expect(end.all("turn-started").filter(({ agent }) => agent === "a")).toHaveLength(2);
});

test("a refused signal of a text is told to its author once, is journaled as refused, and starts no turn [SIG-9, SIG-4]", async () => {
  const end = await runKickoff(flow("  a: {}\n  b: {}"), {
    turns: {
      a: [
        { say: "VOTE: approve-not\n@b over" },
        { expect: 'vote "approve-not', say: "@b right" },
        { say: "done" },
      ],
      b: [{ say: "@a again" }, { say: "@a again" }],
    },
  });
  expect(end.all("signal-received")).toMatchObject([
    { agent: "a", counted: false, refused: expect.stringContaining("approve or reject") },
  ]);
  expect(end.all("author-told")).toHaveLength(1);
  expect(end.all("turn-started").map(({ agent }) => agent)).toEqual(["a", "b", "a", "b", "a"]);
});
