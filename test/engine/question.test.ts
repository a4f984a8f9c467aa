import { expect, test } from "vitest";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf, untilParted } from "../../src/testing/test-run.ts";
import { codeOf } from "./program-parts.ts";

function questionRun() {
  return createTestRun(async (context) => ({
    ...(await context.question({ text: "which one?", agent: "planner" })),
  }));
}

test("a question waits under the same id over several owners and is asked once [P14]", async () => {
  const run = questionRun();
  const ids = new Set<string>();
  for (let owner = 0; owner < 2; owner += 1) {
    const driver = run.start();
    await settle();
    for (const id of driver.state.inbox.keys()) ids.add(id);
    driver.suspend("interrupted", 130);
    const { event } = await driver.parted;
    expect(event).toMatchObject({
      waitingFor: [{ kind: "question", text: "which one?", agent: "planner" }],
    });
  }
  const driver = run.start();
  await settle();
  const [id = ""] = ids;
  driver.append({ type: "question-answered", id, answer: "the left one", by: "user" });
  expect(runResultOf(await untilParted(driver, run.clock))).toEqual({
    answer: "the left one",
    by: "user",
  });
  expect(ids.size).toBe(1);
  expect(run.events.filter(({ type }) => type === "question-asked")).toHaveLength(1);
});

test("an answer that was recorded before the owner died is found by the next", async () => {
  const run = questionRun();
  const driver = run.start();
  await settle();
  const [id = ""] = driver.state.inbox.keys();
  driver.append({ type: "question-answered", id, answer: "neither", by: "user" });
  await untilParted(driver, run.clock);
  const answeredAt = run.events.findIndex(({ type }) => type === "question-answered");
  const resumed = run.crashedAfter(answeredAt + 1);
  expect(runResultOf(await resumed.carryOut())).toMatchObject({ answer: "neither" });
  expect(resumed.events.filter(({ type }) => type === "question-asked")).toHaveLength(1);
});

test("two questions of one program are answered each on its own", async () => {
  const run = createTestRun(async (context) => {
    const [first, second] = await Promise.all([
      context.question({ text: "first?", agent: "planner" }),
      context.question({ text: "second?", agent: "planner" }),
    ]);
    return [first.answer, second.answer];
  });
  const driver = run.start();
  await settle();
  const [first, second] = [...driver.state.inbox.values()];
  const answer = (id = "", text: string) =>
    driver.append({ type: "question-answered", id, answer: text, by: "user" });
  answer("qst_of_an_agent", "of no matter to the program");
  answer(second?.id, "two");
  await settle();
  expect(driver.state.inbox.size).toBe(1);
  answer(first?.id, "one");
  expect(runResultOf(await untilParted(driver, run.clock))).toEqual(["one", "two"]);
});

test("a cancelled question is asked of nobody any more", async () => {
  const run = createTestRun(async (context) => {
    const scope = context.scope("asking", (inner) => inner.question({ text: "?", agent: "a" }));
    await context.sleep(10);
    scope.cancel("not needed");
    return codeOf(scope.result);
  });
  const driver = run.start();
  expect(runResultOf(await untilParted(driver, run.clock))).toBe("ENGINE_CANCELLED");
  expect(driver.state.inbox.size).toBe(0);
});
