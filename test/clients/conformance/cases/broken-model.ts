import { expect } from "vitest";
import { scriptText } from "../../model-server/script.ts";
import type { Bench } from "../bench.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { type TurnRecord, takeTurn } from "../played-turn.ts";

const FAILURE_MS = 30_000;
/** The first request and two retries; some clients ask again in another way once. */
const MOST_REQUESTS = 6;

/** Models that do not answer as they should. */
export const brokenModelCases: readonly ConformanceCase[] = [
  {
    key: "error-400",
    name: "a request that the provider finds wrong fails the turn at once, for good [LOOP-5, AGT-2]",
    run: async (bench) => {
      const record = await failedTurn(bench, 400);
      expect(record.end).toMatchObject({ error: { code: "BACKEND_PROVIDER_REFUSED" } });
    },
  },
  {
    key: "error-401",
    name: "a key that the provider does not know fails the turn and says so [AGT-14, AGT-2]",
    run: async (bench) => {
      const record = await failedTurn(bench, 401);
      expect(record.end).toMatchObject({ error: { code: "BACKEND_NOT_SIGNED_IN" } });
    },
  },
  {
    key: "error-429",
    name: "a provider with too many requests is told apart, for the governor to wait [LOOP-5]",
    run: async (bench) => {
      const record = await failedTurn(bench, 429);
      expect(record.end).toMatchObject({
        error: { code: "BACKEND_OVERLOADED", retryable: true },
      });
    },
  },
  {
    key: "error-500",
    name: "a provider that fails is asked again a few times, then the turn fails [LOOP-5]",
    run: async (bench) => {
      const record = await failedTurn(bench, 500);
      expect(record.end).toMatchObject({
        error: { code: "BACKEND_PROVIDER_FAILED", retryable: true },
      });
    },
  },
  {
    key: "cut",
    name: "an answer that breaks off, and breaks off again, fails the turn [AGT-2, LOOP-5]",
    run: async (bench) => {
      const cut = scriptText({ text: "this will never be said to its end", ending: "cut" });
      const record = await takeTurn(await bench.open(), cut);
      expectFailure(bench, record);
      expect(record.end).toMatchObject({
        error: { code: "BACKEND_PROVIDER_FAILED", retryable: true },
      });
    },
  },
];

async function failedTurn(bench: Bench, status: number): Promise<TurnRecord> {
  const session = await bench.open();
  const fail = status < 429 ? { status } : { status, retryAfterSeconds: 1 };
  const record = await takeTurn(session, scriptText({ fail, text: "never" }));
  expectFailure(bench, record);
  return record;
}

function expectFailure(bench: Bench, { end, durationMs }: TurnRecord): void {
  expect(end.type).toBe("error");
  expect(durationMs).toBeLessThan(bench.fixture.patience?.failureMs ?? FAILURE_MS);
  expect(bench.asked().length).toBeLessThanOrEqual(MOST_REQUESTS);
}
