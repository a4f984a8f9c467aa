import { expect, test } from "vitest";
import { ScopeNode } from "../../src/engine/scope.ts";

function operationIn(scope: ScopeNode) {
  const reasons: string[] = [];
  scope.add({ cancel: (reason) => void reasons.push(reason) });
  return reasons;
}

test("ids count per kind and scope", () => {
  const root = new ScopeNode("");
  const worker = root.child("worker", false);
  expect([root.nextId("step"), root.nextId("step"), root.nextId("turn")]).toEqual([
    "step#1",
    "step#2",
    "turn#1",
  ]);
  expect([worker.nextId("step"), worker.path]).toEqual(["worker/step#1", "worker"]);
  expect(root.child("worker", false).path).toBe("worker#2");
});

test("names cannot make two paths the same", () => {
  const root = new ScopeNode("");
  root.child("a", false).child("b", false);
  root.child("a", false);
  const paths = ["a/b", "a#2", "a%2Fb"].map((name) => root.child(name, false).path);
  expect(paths).toEqual(["a%2Fb", "a%232", "a%252Fb"]);
});

test("cancelling goes down the tree, past shielded scopes", () => {
  const root = new ScopeNode("");
  const plain = root.child("plain", false);
  const shielded = root.child("shielded", true);
  const below = shielded.child("below", false);
  const reasons = [root, plain, shielded, below].map(operationIn);
  root.cancel("stop");
  root.cancel("stop again");
  expect(reasons).toEqual([["stop"], ["stop"], [], []]);
  root.cancel("at last", true);
  expect(reasons.map((list) => list.at(-1))).toEqual(["at last", "at last", "at last", "at last"]);
});

test("a shielded scope may be opened below a cancelled one, until the cancellation is final", () => {
  const root = new ScopeNode("");
  root.cancel("stop");
  expect(root.child("plain", false).status.status).toBe("cancelled");
  expect(root.child("cleanup", true).status.status).toBe("open");
  root.cancel("at last", true);
  expect(root.child("cleanup", true).status.status).toBe("cancelled");
});

test("closing cancels what was left open, shielded or not, and what comes later", () => {
  const root = new ScopeNode("");
  const branch = root.child("branch", false);
  const reasons = [branch, branch.child("shielded", true)].map(operationIn);
  branch.close();
  expect(reasons).toEqual([["its scope is over"], ["its scope is over"]]);
  expect(branch.child("late", true).status.status).toBe("cancelled");
  expect(root.status.status).toBe("open");
});

test("an operation that was taken out is not cancelled", () => {
  const root = new ScopeNode("");
  const operation = {
    cancel: () => {
      throw new Error("it was settled");
    },
  };
  root.add(operation);
  root.delete(operation);
  expect(() => root.cancel("stop")).not.toThrow();
});
