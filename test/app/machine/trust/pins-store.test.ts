import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { agentSurroundings } from "../../../../src/app/machine/effective/agent-surroundings.ts";
import type { Machine } from "../../../../src/app/machine/machine.ts";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import {
  forgetPins,
  listPins,
  openPins,
  pinsDirectory,
} from "../../../../src/app/machine/trust/pins-store.ts";
import { createTestHost } from "../../../host/survivors.ts";
import { createConfigProject } from "../config/config-project.ts";

const tool = (description: string, name = "echo") => ({
  ...{ tool: name, description, schema: "{}", isReadOnly: false },
});
const FIRST = [tool("Says it again.")];

function fileOf({ env }: Machine): string {
  const [name = ""] = readdirSync(pinsDirectory(env)).filter((each) => each.endsWith(".json"));
  return join(pinsDirectory(env), name);
}

/** A project that has pinned one server. */
function pinnedMachine(): Machine {
  const machine = createConfigProject().machine();
  openPins(machine).pinFirst("issues", FIRST);
  return machine;
}

test("the first to use a server pins its tools, and only what a person allowed replaces them [SEC-9.pins]", () => {
  const machine = pinnedMachine();
  const pins = openPins(machine);
  expect(pins.read("wiki")).toBeUndefined();
  expect(pins.pinFirst("issues", [tool("Another process saw this.")])).toEqual(FIRST);
  pins.replace("issues", [tool("Lists.", "list")]);
  expect(openPins(machine).read("issues")).toEqual([...FIRST, tool("Lists.", "list")]);
});

test.each(["__proto__", "constructor", "toString"])(
  "a server and a tool named %s are pinned like any other [SEC-9.pins, T10]",
  (name) => {
    const pins = openPins(createConfigProject().machine());
    expect(pins.read(name)).toBeUndefined();
    pins.pinFirst(name, [tool("x", name)]);
    expect(pins.read(name)).toEqual([tool("x", name)]);
  },
);

test("a project knows nothing of another's servers, and forgets its own alone [SEC-9.pins]", () => {
  const project = createConfigProject();
  const other = join(project.root, "..", "other");
  mkdirSync(join(other, ".troupe"), { recursive: true });
  const machines = [project.root, other].map((cwd) => createMachineAt({ cwd, env: project.env }));
  for (const machine of machines) openPins(machine).pinFirst("issues", FIRST);
  expect(listPins(project.env)).toHaveLength(2);
  expect(forgetPins(project.env, other)).toBe(true);
  expect(forgetPins(project.env, other)).toBe(false);
  expect(listPins(project.env).map(({ directory }) => directory)).toEqual([project.root]);
});

test("where runs leave no files, what is pinned counts and new pins end with the process [SEC-9.pins]", () => {
  const { env, project } = pinnedMachine();
  const memory = () => openPins(createMachineAt({ cwd: project.root, env, store: "memory" }));
  const pins = memory();
  expect(pins.read("issues")).toEqual(FIRST);
  pins.pinFirst("wiki", FIRST);
  expect(pins.read("wiki")).toEqual(FIRST);
  expect(memory().read("wiki")).toBeUndefined();
});

test.each<readonly [how: string, apply: (file: string) => void, problem: string]>([
  ["is no JSON", (file) => writeFileSync(file, "{"), "it is no JSON"],
  ["is damaged", (file) => writeFileSync(file, '{"version":1}'), "its content is damaged"],
  [
    "is of a later version",
    (file) => writeFileSync(file, '{"version":2,"pins":{}}'),
    "a later version of Troupe wrote it",
  ],
  ["is writable by others", (file) => chmodSync(file, 0o666), "it may be written by others"],
])("a file of pins that %s is refused and stays as it is [SEC-9.pins]", (_, apply, problem) => {
  const machine = pinnedMachine();
  const file = fileOf(machine);
  apply(file);
  const text = readFileSync(file, "utf8");
  const pins = openPins(machine);
  const refused = expect.objectContaining({
    code: "PINS_UNREADABLE",
    message: expect.stringContaining(problem),
  });
  expect(() => pins.read("issues")).toThrow(refused);
  expect(() => pins.pinFirst("issues", FIRST)).toThrow(refused);
  expect(() => pins.replace("issues", FIRST)).toThrow(refused);
  expect(readFileSync(file, "utf8")).toBe(text);
  // A person may begin anew.
  expect(forgetPins(machine.env, machine.project.root)).toBe(true);
  expect(pins.pinFirst("issues", FIRST)).toEqual(FIRST);
});

test("pins that cannot be written are an error with the way out [SEC-9.pins]", () => {
  const machine = pinnedMachine();
  const lock = `${fileOf(machine)}.lock`;
  rmSync(lock);
  rmSync(pinsDirectory(machine.env), { recursive: true });
  writeFileSync(pinsDirectory(machine.env), "");
  const refused = expect.objectContaining({
    code: "PINS_UNWRITABLE",
    hint: "make its directory writable, or set TROUPE_HOME",
  });
  expect(() => openPins(machine).pinFirst("issues", FIRST)).toThrow(refused);
});

test("agents in a sandbox see nothing of the pins [SEC-9.pins]", () => {
  const machine = pinnedMachine();
  const { hidden } = agentSurroundings(machine, {
    run: "run_aaaaaa",
    repositories: createTestHost().repositories,
  });
  const isHidden = hidden.some((path) => !relative(path, fileOf(machine)).startsWith(".."));
  expect(isHidden).toBe(true);
});
