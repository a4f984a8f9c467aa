import { expect, test } from "vitest";
import { loadCommands } from "../../src/cli/registry.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject } from "./fake-io.ts";

const commands = await loadCommands();

const NO_RUN = { code: "RUN_NOT_FOUND", exitCode: 2 };
const USAGE = { code: "USAGE_INVALID", exitCode: 2 };

test.each([
  { args: ["show", "nope", "--json"], ...NO_RUN },
  { args: ["show", "nope", "--diff", "--json"], ...NO_RUN },
  { args: ["runs", "--status", "done", "--json"], ...USAGE },
  { args: ["runs", "--limit", "many", "--json"], ...USAGE },
  { args: ["list", "--json", "-C", "no/such/place"], code: "RUN_DIRECTORY_NOT_FOUND", exitCode: 2 },
  { args: ["inbox", "--jsn", "--json"], ...USAGE },
  { args: ["explain", "NO_SUCH", "--json"], code: "USAGE_", exitCode: 2 },
  { args: ["import", "none.gz", "--json"], code: "FILE_NOT_FOUND", exitCode: 2 },
  { args: ["gc", "nope", "--json"], ...NO_RUN },
  { args: ["gc", "--older-than", "soon", "--json"], code: "DURATION_INVALID", exitCode: 2 },
  { args: ["resume", "nope", "--explain", "--json"], ...NO_RUN },
  { args: ["resume", "nope", "--explain", "--timeout", "1m", "--json"], ...USAGE },
  { args: ["rnu", "--json"], ...USAGE },
])(
  "$args fails with its error as the one document on standard output [CLI-1]",
  async ({ args, code, exitCode }) => {
    const called = await call(createProject(), args);
    expect(called).toMatchObject({ exitCode, err: "" });
    expect(JSON.parse(called.out)).toEqual({
      v: 1,
      error: expect.objectContaining({
        code: expect.stringContaining(code),
        message: expect.any(String),
      }),
    });
    expect(called.out.match(/\n/g)).toHaveLength(1);
  },
);

test.each([
  { args: ["logs", "nope", "--json"], ...NO_RUN },
  { args: ["logs", "nope", "--json=all"], ...NO_RUN },
  { args: ["resume", "nope", "--json"], ...NO_RUN },
  { args: ["run", "none.yaml", "--json"], code: "FILE_NOT_FOUND", exitCode: 2 },
  { args: ["run", "none.yaml", "--progress", "json"], code: "FILE_NOT_FOUND", exitCode: 2 },
  { args: ["run", "--json"], ...USAGE },
  { args: ["run", "--jsn", "--json"], ...USAGE },
])(
  "$args has nothing but events on standard output, so its error is JSON on standard error [CLI-1]",
  async ({ args, code, exitCode }) => {
    const called = await call(createProject(), args);
    expect(called).toMatchObject({ exitCode, out: "" });
    expect(JSON.parse(called.err)).toMatchObject({ v: 1, error: { code } });
  },
);

test("what is wrong in a file that is to be run is told with its place, in one line of JSON [CLI-1]", async () => {
  const cwd = createProject({ "bad.yaml": "name: x\npattern: dag\nagents: []\n" });
  const { exitCode, out, err } = await call(cwd, ["run", "bad.yaml", "--json"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(JSON.parse(err)).toMatchObject({
    v: 1,
    ok: false,
    problems: [
      {
        file: expect.stringContaining("bad.yaml"),
        line: expect.any(Number),
        column: expect.any(Number),
      },
    ],
  });
});

test("after -- and without --json errors are text, whatever the words [CLI-1]", async () => {
  const cwd = createProject();
  for (const args of [
    ["show", "nope"],
    ["show", "--", "--json"],
  ])
    expect((await call(cwd, args)).err).toMatch(/^error\[/);
});

test("a fault in troupe is a JSON error too, with its trace only on request [CLI-1]", async () => {
  const broken = {
    name: "broken",
    group: "Run",
    authority: "reads",
    summary: "throws",
    options: [{ flags: "--json", about: "" }],
    load: async () => () => Promise.reject(new Error("boom")),
  } as const;
  const [quiet, verbose] = [createFakeIo(), createFakeIo()];
  expect(await runCli(["broken", "--json"], quiet, [broken])).toBe(70);
  expect(JSON.parse(quiet.out())).toEqual({ v: 1, error: { code: "INTERNAL", message: "boom" } });
  expect(await runCli(["broken", "--json", "--verbose"], verbose, [broken])).toBe(70);
  expect(JSON.parse(verbose.out()).error.details.stack).toContain("json-errors.test.ts");
});

test("commands that print events are those whose help says so [CLI-1]", () => {
  const streams = commands.filter(({ options = [] }) =>
    options.some(({ flags, about }) => flags === "--json" && about.includes("events")),
  );
  const declared = commands.filter(({ printsEvents }) => printsEvents !== undefined);
  expect(declared.map(({ name }) => name)).toEqual(streams.map(({ name }) => name));
});
