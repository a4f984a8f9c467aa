import { expect, test } from "vitest";
import { team } from "../../src/index.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

test("the library starts a team by its own names, and its result has the true counts [TEAM-1, TEAM-3, ITR-shape.ways]", async () => {
  const heard: string[] = [];
  const run = team({
    cwd: temporaryDirectory(),
    store: "memory",
    goal: "Measure {{it}}",
    teamName: "shelves",
    maxWorkers: 2,
    taskFormat: "json",
    enableNotifications: false,
    leader: {
      run: ({ task }) => (task.includes("no tasks") ? "- [ ] left\n- [ ] right" : "80 cm"),
    },
    workers: ["a", "b"].map((name) => ({
      name,
      run: ({ task }) => {
        heard.push(task);
        return "DONE: 80 cm";
      },
    })),
  });
  const { output, metadata } = await run.result;
  expect(output).toBe("80 cm");
  expect(metadata).toMatchObject({
    ...{ team: "shelves", list: ".troupe/context/team/shelves/tasks.json" },
    ...{ total: 2, completed: 2, failed: 0, cancelled: 0, forced: false },
  });
  expect(heard[0]).toMatch(/^Measure \{\{it\}\}\n\nYour task is #1: left/);
  const unfit = team({ store: "memory", goal: "x", teamName: "../x", leader: { run: () => "x" } });
  await expect(unfit.result).rejects.toMatchObject({ code: "WORKFLOW_ROLE" });
});
