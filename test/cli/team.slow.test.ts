import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

const LEAD = `case "$TROUPE_AGENT" in
lead) if grep -q "There are no tasks" "$TROUPE_TASK_FILE"
  then printf -- "- [ ] one\\n- [ ] two (after: #1)\\n"; else echo "DONE: both"; fi ;;
*) if [ -n "$BREAK" ]; then exit 3; else echo "DONE: $TROUPE_AGENT"; fi ;;
esac
`;
const options = ["--agent", "command", "-q", "--", "sh", "lead.sh"];

test.each(["team", "delegate"])(
  "troupe %s leads workers to a goal, and the list shows what became of each task [TEAM-1, TEAM-4]",
  async (command) => {
    const cwd = createProject({ "lead.sh": LEAD });
    const named = ["--name", "n", "--workers", "2", "--agents", "command"];
    const { exitCode, out, err } = await call(cwd, [
      command,
      "Do both",
      "--tasks",
      "json",
      "--name",
      "n",
      ...options,
    ]);
    expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: "both\n", err: "" });
    const file = join(cwd, ".troupe/context/team/n/tasks.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      tasks: [
        { id: 1, status: "completed", owner: "worker-1", result: "worker-1" },
        { id: 2, status: "completed", owner: "worker-1" },
      ],
    });
    const refused = await call(cwd, [command, "Do both", ...named, ...options]);
    expect(refused.exitCode).toBe(2);
  },
);

test("a team whose tasks fail exits with 1 [TEAM-3]", async () => {
  const cwd = createProject({ "lead.sh": `BREAK=1\n${LEAD}` });
  const { exitCode } = await call(cwd, ["team", "Do both", ...options]);
  expect(exitCode).toBe(1);
});
