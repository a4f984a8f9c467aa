import { expect } from "vitest";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";
import { scriptText } from "../../model-server/script.ts";
import type { Bench } from "../bench.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { beginTurn, type TurnRecord, takeTurn } from "../played-turn.ts";

const COMMAND = "echo made > made.txt";
const ASKS = scriptText({ calls: [{ shell: COMMAND }] }, { text: "it said $RESULT" });
const NOTE = "not on a friday, ask bob";

const request = {
  method: "requestPermission",
  input: {
    tool: "Bash",
    input: expect.objectContaining({ command: expect.stringContaining(COMMAND) }),
  },
};

/** Who may do what: Troupe alone decides. */
export const permissionCases: readonly ConformanceCase[] = [
  {
    key: "allowed",
    name: "a command is run after Troupe was asked and allowed it [AGT-10]",
    run: async (bench) => {
      const client = createRecordingClient();
      const { end } = await takeTurn(await bench.open(), ASKS, { client });
      expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(client.calls).toEqual([request]);
      expect(bench.exists("made.txt")).toBe(true);
    },
  },
  {
    key: "denied",
    name: "a command that Troupe denies is not run, and the model hears of it [AGT-10]",
    run: async (bench) => {
      await denied(bench);
      expect(bench.exists("made.txt")).toBe(false);
    },
  },
  {
    key: "denied-note",
    name: "the note of a denial reaches the model [AGT-10]",
    run: async (bench) => {
      await denied(bench);
      expect(JSON.stringify(bench.asked().at(-1)?.entries)).toContain(NOTE);
    },
  },
  {
    key: "permission-cancelled",
    name: "a turn that is cancelled while it waits for permission ends, and runs nothing [AGT-10, ENG-6]",
    run: async (bench) => {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      const client = createRecordingClient({
        requestPermission: () => {
          resolve();
          return new Promise(() => {});
        },
      });
      const turn = beginTurn(await bench.open(), ASKS, { client });
      await asked;
      turn.abort();
      expect((await turn.over).end).toMatchObject({ type: "stop", reason: "cancelled" });
      expect(bench.exists("made.txt")).toBe(false);
    },
  },
];

async function denied(bench: Bench): Promise<TurnRecord> {
  const client = createRecordingClient({
    requestPermission: async () => ({ decision: "denied", comment: NOTE }),
  });
  const record = await takeTurn(await bench.open(), ASKS, { client });
  expect(record.end).toMatchObject({ type: "stop" });
  expect(client.calls).toEqual([request]);
  return record;
}
