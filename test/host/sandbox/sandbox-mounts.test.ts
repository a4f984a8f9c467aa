import { expect, test } from "vitest";
import {
  type LetIn,
  type LinkedPathFacts,
  planMounts,
  type SandboxMount,
} from "../../../src/host/sandbox/sandbox-mounts.ts";
import { confinement } from "../confinement.ts";

const NOTHING: LetIn = { readable: [], empty: [], hidden: [] };
const SCRATCH: SandboxMount = { path: "/tmp", access: "private" };

function world(...paths: readonly string[]): LinkedPathFacts {
  const isLinked = (path: string) => path === "/link" || path.startsWith("/link/");
  return {
    resolve: (path) => (isLinked(path) ? path.replace("/link", "/real") : path),
    exists: (path) => paths.includes(path),
    linksOn: (path) => (isLinked(path) ? [{ path: "/link", target: "real" }] : []),
  };
}

function at(access: "readable" | "writable", path: string): SandboxMount {
  return { access, path, source: path };
}

test("the deeper path wins, and of one path what allows less; what is not there is left out [AGT-13]", () => {
  const facts = world("/home/me/app", "/home/me/app/.troupe/runs", "/home/me/app/.npmrc");
  const mounts = planMounts(
    confinement({
      writable: ["/home/me/app", "/home/me/app/.troupe/runs/run_1/agents/a"],
      readOnly: ["/home/me/app", "/home/me/.netrc"],
      hidden: ["/home/me/app/.troupe/runs"],
    }),
    { readable: [], empty: ["/home/me"], hidden: ["/home/me/app/.npmrc", "/home/me/app/.aws"] },
    facts,
  );
  expect(mounts).toEqual([
    SCRATCH,
    { path: "/home/me", access: "private" },
    at("readable", "/home/me/app"),
    { path: "/home/me/app/.npmrc", access: "hidden" },
    { path: "/home/me/app/.troupe/runs", access: "hidden" },
    at("writable", "/home/me/app/.troupe/runs/run_1/agents/a"),
  ]);
});

test("what is protected below a writable path is protected although it is not there, and cannot be moved away with its parent [AGT-13, T18]", () => {
  const mounts = planMounts(
    confinement({ writable: ["/app"], readOnly: ["/app/.git/hooks", "/app/.mcp.json"] }),
    NOTHING,
    world("/app", "/app/.git"),
  );
  expect(mounts).toEqual([
    SCRATCH,
    at("writable", "/app"),
    at("writable", "/app/.git"),
    at("readable", "/app/.mcp.json"),
    at("readable", "/app/.git/hooks"),
  ]);
});

test("links are resolved before anything is decided, and are there by their names too [AGT-13, T8]", () => {
  const confine = confinement({ writable: ["/link/app"], readOnly: ["/real/app/.git"] });
  expect(planMounts(confine, NOTHING, world("/real/app", "/real/app/.git"))).toEqual([
    SCRATCH,
    { path: "/link", access: "link", target: "real" },
    at("writable", "/real/app"),
    at("readable", "/real/app/.git"),
  ]);
});

test("what is let in for programs makes nothing read-only that may be written, and hides nothing where nothing is seen", () => {
  const mounts = planMounts(
    confinement({ writable: ["/home/me/app"] }),
    {
      readable: ["/home/me/app/bin", "/home/me/app", "/opt/tool"],
      empty: ["/home/me"],
      hidden: ["/home/me/.ssh", "/opt/tool/credentials"],
    },
    world("/home/me/app", "/home/me/.ssh", "/opt/tool", "/opt/tool/credentials"),
  );
  expect(mounts).toEqual([
    SCRATCH,
    { path: "/home/me", access: "private" },
    at("readable", "/opt/tool"),
    { path: "/opt/tool/credentials", access: "hidden" },
    at("writable", "/home/me/app"),
  ]);
});

test("scratch directories are empty in what is read-only, and the cache lies elsewhere outside", () => {
  const mounts = planMounts(
    confinement({
      ...{ home: "/home/me", readOnly: ["/home/me/.tool"], writable: ["/home/me/.tool/token"] },
      ...{ scratch: ["/home/me/.tool/tmp"], cache: "/run/agent/cache" },
    }),
    { ...NOTHING, empty: ["/home/me"] },
    world("/home/me/.tool", "/home/me/.tool/token", "/home/me/.tool/tmp"),
  );
  expect(mounts).toEqual([
    SCRATCH,
    { path: "/home/me", access: "private" },
    at("readable", "/home/me/.tool"),
    { path: "/home/me/.cache", access: "writable", source: "/run/agent/cache" },
    at("writable", "/home/me/.tool/token"),
    { path: "/home/me/.tool/tmp", access: "private" },
  ]);
});
