import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { AgentSession } from "../../../../src/contracts/backend.ts";
import { scriptText } from "../../model-server/script.ts";
import type { Bench } from "../bench.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { beginTurn, type TurnRecord, takeTurn } from "../played-turn.ts";
import { commandThat, fileAppears } from "../tool-script.ts";

const MEMORY = "the number of the day is 4711";

/** What a session keeps from turn to turn. */
export const sessionCases: readonly ConformanceCase[] = [
  {
    key: "memory",
    name: "the second turn of a session knows the first [AGT-1]",
    run: async (bench) => {
      const session = await bench.open();
      await takeTurn(session, `${MEMORY} ${scriptText({ text: "noted" })}`);
      await expectMemory(bench, session);
    },
  },
  {
    key: "resume",
    name: "a session goes on in a new process of its program [AGT-7.crash]",
    run: async (bench) => {
      const resume = await endedSession(bench);
      expect(await bench.living()).toEqual([]);
      await expectMemory(bench, await bench.open({ resume }));
    },
  },
  {
    key: "usage-resumed",
    name: "a resumed session does not tell again what was used before [AGT-15]",
    run: async (bench) => {
      const first = await bench.open();
      const { usage: before } = await takeTurn(first, scriptText({ text: "one" }));
      const { usage: again } = await takeTurn(first, scriptText({ text: "two" }), { turn: 2 });
      const { resume } = first;
      await first.close();
      const second = await bench.open(resume === undefined ? {} : { resume });
      const { usage } = await takeTurn(second, scriptText({ text: "three" }), { turn: 3 });
      expect(usage.outputTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeLessThanOrEqual(before.outputTokens ?? 0);
      if (again.costUsd !== undefined) expect(usage.costUsd).toBeCloseTo(again.costUsd, 6);
    },
  },
  {
    key: "resume-unknown",
    name: "a session that the program does not know is no new one, but an error that says so [AGT-7.crash]",
    run: async (bench) => {
      // A true one of elsewhere: what such a token looks like is the business of the backend.
      const elsewhere = await bench.another();
      try {
        const resume = await endedSession(elsewhere);
        const asked = bench.asked().length;
        const code = await codeOfResuming(bench, resume);
        expect(code).toBe("BACKEND_SESSION_UNKNOWN");
        expect(bench.asked()).toHaveLength(asked);
      } finally {
        await elsewhere.end();
      }
    },
  },
  {
    key: "steer",
    name: "a text can be put into a turn that runs [MSG-4]",
    run: async (bench) => {
      const session = await bench.open();
      const command = commandThat(bench, { waitsFor: "go" });
      const turn = beginTurn(
        session,
        scriptText({ calls: [{ shell: command }] }, { text: "done" }),
      );
      await fileAppears(bench, "started");
      expect(await session.steer?.("and mind the gap")).toBe(true);
      writeFileSync(bench.fileAt("go"), "");
      expect((await turn.over).end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(JSON.stringify(bench.asked().at(-1))).toContain("and mind the gap");
    },
  },
];

/** A turn in which the model sees the turn before. */
async function expectMemory(bench: Bench, session: AgentSession): Promise<TurnRecord> {
  const record = await takeTurn(session, scriptText({ text: "I remember" }), { turn: 2 });
  expect(record.end).toEqual({ type: "stop", reason: "end_turn", text: "I remember" });
  const entries = bench.asked().at(-1)?.entries ?? [];
  expect(entries.some(({ kind, text }) => kind === "prompt" && text.includes(MEMORY))).toBe(true);
  expect(entries.some(({ kind, text }) => kind === "reply" && text.includes("noted"))).toBe(true);
  return record;
}

async function endedSession(bench: Bench): Promise<string> {
  const session = await bench.open();
  await takeTurn(session, `${MEMORY} ${scriptText({ text: "noted" })}`);
  const { resume } = session;
  await session.close();
  if (resume === undefined) throw new Error("the session has no token to resume it");
  return resume;
}

/** The code of the error, whether opening or the first turn finds out. */
async function codeOfResuming(bench: Bench, resume: string): Promise<string | undefined> {
  try {
    const { end } = await takeTurn(await bench.open({ resume }), scriptText({ text: "who?" }));
    return end.type === "error" ? end.error.code : end.reason;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
