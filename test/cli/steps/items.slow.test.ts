import { expect, test } from "vitest";
import { call, createProject, stable } from "../fake-io.ts";

const ITEMS = `id: items
initial_context: { pages: ["a.md", "b.md", { name: "third page", n: 3 }, [1]] }
steps:
  - id: all
    type: parallel
    for_each: context.pages
    max_concurrency: 1
    step: { id: check, type: shell, command: ["sh", "-c", "[ $1 != 1 ]", "x", "{{index}}"] }
    on_error: end
  - { id: end, type: transform, transform: "context.pages[0]" }
`;

test("items of a list are told by what they are, and found by it [USE-7.items]", async () => {
  const cwd = createProject({ "items.yaml": ITEMS });
  const { out } = await call(cwd, ["run", "items.yaml"]);
  expect(out).toContain("all[0]/check ● started · a.md\n");
  expect(out).toContain("all[2]/check ● started · third page\n");
  expect(out).toContain("all[3]/check ● started\n");
  const shown = (await call(cwd, ["show"])).out;
  expect(shown).toContain("✖ all[1]/check (b.md)       failed");
  const step = async (wanted: string) => stable((await call(cwd, ["show", "--step", wanted])).out);
  expect(await step("check")).toBe(
    [
      "all[0]/check (a.md)        completed",
      "all[1]/check (b.md)        failed     [STEP_SHELL_FAILED]",
      "all[2]/check (third page)  completed",
      "all[3]/check               completed",
      'one of them: troupe show run_ID --step "all[3]/check"',
      "",
    ].join("\n"),
  );
  for (const wanted of ["b.md", "all[1]/check", "all[1]/check (b.md)"])
    expect(await step(wanted)).toMatch(/^all\[1\]\/check \(b\.md\) failed in/u);
  const document = JSON.parse((await call(cwd, ["show", "--step", "check", "--json"])).out);
  expect(document.items.map(({ label = null }) => label)).toEqual([
    "a.md",
    "b.md",
    "third page",
    null,
  ]);
  expect(document.step.path).toBe("all[3]/check");
});

test("a step that failed for one item is not drawn as completed because a later item was [USE-7.items]", async () => {
  const cwd = createProject({ "items.yaml": ITEMS });
  await call(cwd, ["run", "items.yaml"]);
  expect((await call(cwd, ["graph", "@last"])).out).toContain("✖ check ×4");
});
