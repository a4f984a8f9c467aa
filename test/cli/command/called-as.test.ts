import { expect, test } from "vitest";
import { calledAs } from "../../../src/cli/command/called-as.ts";
import { asCalled } from "../../../src/cli/command/suggested-commands.ts";
import { loadCommands } from "../../../src/cli/registry.ts";

const commands = await loadCommands();

const bin = "/home/ann/app/node_modules/.bin";
const npx = { npm_lifecycle_event: "npx", npm_lifecycle_script: "'troupe'" };

test.each([
  ["troupe", "/usr/local/bin/troupe", { PATH: "/bin:/usr/local/bin" }],
  ["npx troupe", `${bin}/troupe`, { ...npx, PATH: `${bin}:/bin` }],
  ["npx troupe", "/home/ann/.npm/_npx/1f/node_modules/.bin/troupe", npx],
  // What npx runs is another program, which calls troupe.
  ["troupe", `${bin}/troupe`, { ...npx, npm_lifecycle_script: "vitest run", PATH: bin }],
  ["node_modules/.bin/troupe", `${bin}/troupe`, { PATH: "/bin" }],
  ["node bin/troupe.js", "/home/ann/app/bin/troupe.js", {}],
  ["node ../troupe/bin/troupe.js", "/home/ann/troupe/bin/troupe.js", npx],
  ["node /opt/bin/troupe.js", "/opt/bin/troupe.js", {}],
  ["node 'a b/troupe.js'", "/home/ann/app/a b/troupe.js", {}],
  ["mytroupe", "/home/ann/app/bin/troupe.js", { TROUPE_CALLED_AS: "mytroupe" }],
  // A program that uses the library.
  ["troupe", "/home/ann/app/main.ts", {}],
])("a suggestion begins with %s where %s was called [ECO-5.hints]", (expected, program, env) => {
  expect(calledAs({ argv: ["/bin/node", program], env }, "/home/ann/app")).toBe(expected);
});

test("commands in a hint are written as they are called, and sentences about troupe stay [ECO-5.hints]", () => {
  const hint = "run `troupe trust`, or troupe show run_1; troupe knows it. See docs/troupe run.md";
  expect(asCalled(hint, "npx troupe")).toBe(
    "run `npx troupe trust`, or npx troupe show run_1; troupe knows it. See docs/troupe run.md",
  );
  expect(asCalled(hint, "troupe")).toBe(hint);
});

test.each([...commands.map(({ name }) => name), "help"])("a suggestion of `%s` is one", (name) => {
  expect(asCalled(`troupe ${name}`, "npx troupe")).toBe(`npx troupe ${name}`);
});
