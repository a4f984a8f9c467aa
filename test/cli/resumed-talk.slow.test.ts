import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

const TALK = `name: talk
kickoff: "@ada which one?"
agents:
  ada: { backend: human }
  bob: { backend: script, script: [{ say: "DONE: noted" }] }
`;
const ABOVE = "id: above\nsteps: [{ id: talk, type: workflow, file: talk.yaml }]\n";

test("agents that messages wake go on in a child when the run above it is resumed, whatever their backends [ENG-12, ENG-2]", async () => {
  const cwd = createProject({ "talk.yaml": TALK, "above.yaml": ABOVE });
  expect((await call(cwd, ["run", "above.yaml", "-q"])).exitCode).toBe(3);
  const { items } = JSON.parse((await call(cwd, ["inbox", "--json"])).out);
  const [{ id, child }] = items;
  expect((await call(cwd, ["send", child, "@bob are you there?"])).exitCode).toBe(0);
  const answered = await call(cwd, ["answer", id, "the first", "--resume"]);
  expect(answered).toMatchObject({ exitCode: 0 });
  expect(answered.out).toMatch(/name: bob\n +turns: 1\n/);
});
