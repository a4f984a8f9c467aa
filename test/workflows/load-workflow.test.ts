import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertLoaded, loadWorkflowFile } from "../../src/workflows/load-workflow.ts";
import { fileWith, load, loadOptions, readOptions } from "./load-options.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-load-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

const options = () => ({ ...readOptions, projectRoot: directory });
const raises = (code: string, more = {}) => expect.objectContaining({ code, ...more });

describe("loadWorkflow", () => {
  test("reads a file and keeps its name and text", async () => {
    const text = fileWith("steps: [{ id: one }]");
    const file = write("good.yaml", `\uFEFF${text}`);
    const loaded = await loadWorkflowFile(file, options());
    expect(loaded).toEqual({ ...load(text, { ...loadOptions, projectRoot: directory }), file });
    expect(assertLoaded(loaded)).toBe(loaded.definition);
  });

  test("names files beside one that does not exist", async () => {
    write("review.yaml", fileWith(""));
    await expect(loadWorkflowFile(join(directory, "reviw.yaml"), options())).rejects.toEqual(
      raises("FILE_NOT_FOUND", { hint: expect.stringContaining('did you mean "review.yaml"?') }),
    );
  });

  test("names workflows of the project to whoever wrote a name alone [STP-11]", async () => {
    const workflowRegistry = { find: () => undefined, ids: () => ["review-all"] };
    const loading = (name: string) =>
      loadWorkflowFile(join(directory, name), { ...options(), workflowRegistry });
    await expect(loading("reviewall")).rejects.toEqual(
      raises("FILE_NOT_FOUND", { hint: expect.stringContaining('did you mean "review-all"?') }),
    );
    await expect(loading("reviewall.yaml")).rejects.toEqual(
      raises("FILE_NOT_FOUND", { hint: expect.not.stringContaining("review-all") }),
    );
  });

  test("refuses directories, pipes, large files and what is no UTF-8 [WF-3, T9]", async () => {
    await expect(loadWorkflowFile(directory, options())).rejects.toEqual(raises("FILE_UNREADABLE"));
    const pipe = join(directory, "pipe.yaml");
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', pipe]);
    await expect(loadWorkflowFile(pipe, options())).rejects.toEqual(raises("FILE_UNREADABLE"));
    const large = write("large.yaml", `# ${"x".repeat(1_048_575)}`);
    await expect(loadWorkflowFile(large, options())).rejects.toEqual(raises("FILE_TOO_LARGE"));
    const latin = write("latin.yaml", Uint8Array.from([0x6e, 0xe4, 0x3a]));
    await expect(loadWorkflowFile(latin, options())).rejects.toEqual(raises("FILE_NOT_TEXT"));
  });

  test.each([
    ["flow.ts", "export default 1;", "node"],
    ["flow.mjs", "export default 1;", "node"],
    ["reviewer.md", "---\nname: reviewer\n---\nReview.", ".troupe/agents"],
  ])("says of %s what it is, and where it belongs", async (name, text, hint) => {
    const file = write(name, text);
    await expect(loadWorkflowFile(file, options())).rejects.toEqual(
      raises("FILE_OF_OTHER_KIND", { hint: expect.stringContaining(hint) }),
    );
  });

  test.each([
    ["agents: [\n  a\nsteps: []\n", "close the [ before this line with a ]"],
    ["agents: {a: 1,\nsteps: []\n", "close the { before this line with a }"],
    ["a: 1\n---\nb: 2\n", "keep one document per file: remove the lines of three dashes"],
  ])("says of %j what to do about it", async (text, hint) => {
    const { problems } = await loadWorkflowFile(write("broken.yaml", text), options());
    expect(problems).toMatchObject([{ code: "WORKFLOW_SYNTAX", hint }]);
  });

  test("reads exactly 1 MiB", async () => {
    const text = fileWith("steps: [{ id: one }]");
    const file = write("full.yaml", `${text}# ${"x".repeat(1_048_576 - text.length - 2)}`);
    expect((await loadWorkflowFile(file, options())).problems).toEqual([]);
  });

  test("follows links before it trusts a directory [WF-2.load, T8]", async () => {
    mkdirSync(join(directory, "project"));
    symlinkSync(tmpdir(), join(directory, "project", "out"));
    const text =
      "name: f\npattern: dag\nagents: [{ id: a, cwd: out }, { id: b, cwd: out/new }, { id: c, cwd: in }]\n";
    const file = write("project/flow.yaml", text);
    const root = join(directory, "project");
    const loaded = await loadWorkflowFile(file, { ...readOptions, projectRoot: root });
    expect(loaded.definition).toBeUndefined();
    expect(loaded.problems.map(({ code, line, column }) => [code, line, column])).toEqual([
      ["WORKFLOW_PATH_OUTSIDE", 3, 24],
      ["WORKFLOW_PATH_OUTSIDE", 3, 45],
    ]);
  });

  test("resolves modules from the directory of the file", async () => {
    const text =
      "name: f\npattern: dag\nagents: [{ id: a, backend: function, module: './x.ts#run' }]\n";
    const { definition } = await loadWorkflowFile(write("function.yaml", text), options());
    expect(definition?.agents[0]?.settings).toEqual({ module: `${join(directory, "x.ts")}#run` });
  });
});

test("assertLoaded raises WORKFLOW_INVALID, which holds the errors and no warnings [WF-1]", () => {
  const loaded = load(
    "name: f\npattern: dag\nagents: [{ id: a }, { id: b }]\nsteps: [{ id: s, agent: x }]",
  );
  expect(() => assertLoaded(loaded)).toThrow(
    raises("WORKFLOW_INVALID", {
      message: 'flow.yaml is not a valid workflow: step "s" uses agent "x", which is not defined',
      hint: "troupe validate flow.yaml",
      details: {
        file: "flow.yaml",
        problems: [expect.objectContaining({ code: "WORKFLOW_UNKNOWN_AGENT" })],
      },
    }),
  );
});
