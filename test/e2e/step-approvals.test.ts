import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createUser } from "./daemon-user.ts";

const SHIP = `id: ship
steps:
  - { id: plan, type: transform, transform: input, next: ask }
  - { id: ask, type: approval, message: "Ship {{context.plan.version}}?", next: ship }
  - { id: ship, type: shell, command: ["echo", "shipped {{context.plan.version}}"] }
`;

async function startInDaemon(user: ReturnType<typeof createUser>) {
  writeFileSync(join(user.cwd, "ship.yaml"), SHIP);
  const started = await user.type("run", "ship.yaml", "-i", "version=7", "--detach", "--json");
  expect(started).toMatchObject({ exitCode: 0, err: "" });
  const { run } = JSON.parse(started.out);
  const following = user.start("logs", run, "-f", "--json");
  await following.seen(/"approval-requested"/);
  const { items } = JSON.parse((await user.type("inbox", "--json")).out);
  return { run, item: items[0], following };
}

test("an approval of a run in the daemon is given by another process and moves the run on at once [STP-8, DMN-1]", async () => {
  const user = createUser();
  const { run, item, following } = await startInDaemon(user);
  expect(item).toMatchObject({ run, step: "ask", show: { version: "7" } });
  const approved = await user.type("approve", item.id, "--hash", item.hash, "-m", "go");
  expect(approved).toMatchObject({ exitCode: 0, out: `${item.id} approved\n` });
  expect((await following.ended).out).toContain('"run-ended"');
  const { steps } = JSON.parse((await user.type("show", run, "--json")).out);
  expect(steps.at(-1)).toMatchObject({
    step: "ship",
    output: expect.stringContaining("shipped 7"),
  });
});

test("of two processes that decide at the same moment one wins, and the other is told so [STP-8, P14]", async () => {
  const user = createUser();
  const { item, following } = await startInDaemon(user);
  const both = await Promise.all([
    user.type("approve", item.id),
    user.type("reject", item.id, "-m", "no"),
  ]);
  const lost = both.filter(({ exitCode }) => exitCode !== 0);
  expect(lost).toHaveLength(1);
  expect(lost[0]?.exitCode).toBe(2);
  expect(lost[0]?.err).toContain("ENGINE_ITEM_RESOLVED");
  await following.ended;
});
