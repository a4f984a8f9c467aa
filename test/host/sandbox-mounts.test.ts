import { expect, test } from "vitest";
import { type PathFacts, planMounts } from "../../src/host/sandbox-mounts.ts";

function world(...paths: readonly string[]): PathFacts {
  return {
    resolve: (path) => (path === "/link" ? "/real" : path),
    exists: (path) => paths.includes(path),
  };
}

test("the deeper path wins, and of one path what allows less; what is not there is left out [AGT-13]", () => {
  const facts = world("/tmp", "/home/me/.ssh", "/home/me/app", "/home/me/app/.troupe/runs");
  const mounts = planMounts(
    {
      writable: ["/home/me/app", "/home/me/app/.troupe/runs/run_1/agents/a"],
      readOnly: ["/home/me/app", "/home/me/.netrc"],
      hidden: ["/home/me/.ssh", "/home/me/.aws", "/home/me/app/.troupe/runs"],
      network: "none",
    },
    facts,
  );
  expect(mounts).toEqual([
    { path: "/tmp", access: "hidden" },
    { path: "/home/me/.ssh", access: "hidden" },
    { path: "/home/me/app", access: "readable" },
    { path: "/home/me/app/.troupe/runs", access: "hidden" },
    { path: "/home/me/app/.troupe/runs/run_1/agents/a", access: "writable" },
  ]);
});

test("what is protected below a writable path is protected although it is not there, and cannot be moved away with its parent [AGT-13, T18]", () => {
  const mounts = planMounts(
    {
      writable: ["/app"],
      readOnly: ["/app/.git/hooks", "/app/.mcp.json"],
      hidden: [],
      network: "none",
    },
    world("/app", "/app/.git"),
  );
  expect(mounts).toEqual([
    { path: "/app", access: "writable" },
    { path: "/app/.git", access: "writable" },
    { path: "/app/.mcp.json", access: "readable" },
    { path: "/app/.git/hooks", access: "readable" },
  ]);
});

test("links are resolved before anything is decided [AGT-13, T8]", () => {
  const confine = { writable: ["/link"], readOnly: [], hidden: [], network: "none" } as const;
  expect(planMounts(confine, world("/real"))).toEqual([{ path: "/real", access: "writable" }]);
});
