import { expect, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject, type FakeIo } from "../fake-io.ts";

const CHILD = `
id: child
steps:
  - { id: plan, type: transform, transform: "input.plan", next: ship }
  - { id: ship, type: approval, message: "Ship {{context.plan}}?", show: context.plan, on_approve: tell }
  - { id: tell, type: transform, transform: "context.plan" }
`;
const PARENT = `
id: parent
steps:
  - { id: deploy, type: workflow, file: child.yaml, next: after }
  - { id: after, type: transform, transform: context.deploy.output }
`;

/** A project whose run asks through a child; what it is to ship is the input. */
function createRun(env: { readonly [name: string]: string } = {}): {
  readonly cwd: string;
  readonly io: FakeIo;
} {
  const cwd = createProject({
    "parent.yaml": PARENT,
    "child.yaml": CHILD,
    "input.json": JSON.stringify({ plan: "v7" }),
  });
  const program = () => 0;
  const size = { columns: 110, rows: 30 };
  const io = createFakeIo({
    isTerminal: true,
    ...size,
    cwd,
    env: { NO_COLOR: "1", ...env },
    program,
  });
  return { cwd, io };
}
const RUN = ["run", "parent.yaml", "--input", "input.json"];

test("a person at the terminal is shown and asked what a child run asks, and the answer goes there [ENG-12, STP-6, CLI-1]", async () => {
  const { io } = createRun();
  const running = runCli([...RUN, "--progress", "plain"], io);
  await io.seen("[a]pprove");
  expect(io.out()).toMatch(/to be approved[^\n]*\n\s+v7\n/u);
  io.type("c");
  await io.seen("what do you want to say?");
  io.type("go");
  expect(await running).toBe(0);
  expect(io.err()).toBe("");
  expect(io.out()).toContain("v7");
});

test("a child's approval is given with a key of the live view, at the step that waits for it [ENG-12, CLI-1]", async () => {
  const { io } = createRun();
  const running = runCli(RUN, io);
  await io.seen("a approve  r reject");
  io.press("\u001b[A", "a");
  expect(await running).toBe(0);
});

test("ctrl-c in front of a child's question leaves all of the family waiting [ENG-12, ENG-9]", async () => {
  const { cwd, io } = createRun();
  const running = runCli([...RUN, "--progress", "plain"], io);
  await io.seen("[a]pprove");
  io.raise("SIGINT");
  expect(await running).toBe(130);
  const inbox = await call(cwd, ["inbox", "--json"]);
  const [item, ...others] = JSON.parse(inbox.out).items;
  expect([item, ...others]).toMatchObject([{ kind: "approval", text: "Ship v7?" }]);
  // Nobody runs it: the decision is in the child's journal, and the run above it says so all the same.
  expect((await call(cwd, ["show", item.run])).out).toContain(item.id);
  expect((await call(cwd, ["approve", item.id])).exitCode).toBe(0);
  expect((await call(cwd, ["show", item.run])).out).not.toContain(item.id);
  const shown = JSON.parse((await call(cwd, ["show", item.run, "--json"])).out);
  expect(shown).toMatchObject({ waitingFor: [], run: { needs: 0 } });
  expect((await call(cwd, ["resume", item.run])).exitCode).toBe(0);
});

test("whoever decides what a child asks from elsewhere reaches the process that carries it out [ENG-12, ENG-19]", async () => {
  const { cwd, io } = createRun();
  const running = runCli([...RUN, "--progress", "plain"], io);
  await io.seen("[a]pprove");
  const inbox = JSON.parse((await call(cwd, ["inbox", "--json"])).out);
  const [item] = inbox.items;
  expect(item.child).not.toBe(item.run);
  expect(await call(cwd, ["approve", item.id, "-m", "from afar"])).toMatchObject({
    exitCode: 0,
    err: "",
  });
  expect(await running).toBe(0);
  expect(io.out()).not.toContain("not used");
  const late = await call(cwd, ["reject", item.id, "-m", "no"]);
  expect(late.exitCode).not.toBe(0);
  expect(late.err).toContain("ENGINE_ITEM_RESOLVED");
});
