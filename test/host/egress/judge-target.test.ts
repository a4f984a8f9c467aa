import { expect, test } from "vitest";
import { parseTarget } from "../../../src/host/egress/egress-target.ts";
import {
  type EgressReach,
  judgeAddress,
  judgeTarget,
  toReach,
} from "../../../src/host/egress/judge-target.ts";

const listed = toReach([
  ...["good.example", "*.cloud.example:8443", "1.1.1.1", "https://gate.example/v1"],
  ...["http://127.0.0.1:4000/v1", "localhost:5000", "http://10.0.0.5:8080", "not a host"],
]);
const open: EgressReach = { hosts: "public", local: ["127.0.0.1:4000"] };

function allows(reach: EgressReach, ...asked: readonly string[]): readonly boolean[] {
  return asked.map((each) => judgeTarget(each, reach).status === "allowed");
}

test("what is configured is split into hosts and local addresses, each with its port [SEC-5.network]", () => {
  expect(listed).toEqual({
    hosts: ["good.example:443", "*.cloud.example:8443", "1.1.1.1:443", "gate.example:443"],
    local: ["127.0.0.1:4000", "localhost:5000", "10.0.0.5:8080"],
  });
});

test("a list allows what it names, on the port that it names, and nothing near it [SEC-5.network, T13.sandbox]", () => {
  expect(
    allows(
      listed,
      ...[
        "good.example:443",
        "GOOD.example.:443",
        "a.cloud.example:8443",
        "a.b.cloud.example:8443",
      ],
      ...["1.1.1.1:443", "127.0.0.1:4000", "localhost:5000", "10.0.0.5:8080"],
    ),
  ).toEqual(Array(8).fill(true));
  expect(
    allows(
      listed,
      ...["good.example:80", "a.good.example:443", "ood.example:443", "good.example.evil:443"],
      ...["cloud.example:8443", "evilcloud.example:8443", "a.cloud.example:443", "1.1.1.2:443"],
      ...["127.0.0.1:4001", "localhost:4000", "127.0.0.1:5000", "10.0.0.5:443", "10.0.0.6:8080"],
      ...["[::1]:4000", "169.254.169.254:80", "[::ffff:127.0.0.1]:4000", "a.localhost:5000"],
    ),
  ).toEqual(Array(17).fill(false));
});

test("an empty list allows nothing, and an open one names alone [SEC-5.network, T13.sandbox]", () => {
  const nothing = { hosts: [], local: [] };
  expect(allows(nothing, "good.example:443", "127.0.0.1:4000", "1.1.1.1:443", "")).toEqual(
    Array(4).fill(false),
  );
  expect(allows(open, "any.example:443", "any.example:22", "127.0.0.1:4000")).toEqual(
    Array(3).fill(true),
  );
  expect(
    allows(open, "1.1.1.1:443", "127.0.0.1:4001", "localhost:80", "x.localhost:80", "10.0.0.5:80"),
  ).toEqual(Array(5).fill(false));
});

test("a name is reached at public addresses only, but for private ones that are named themselves [SEC-5.network, T13.sandbox]", () => {
  const target = parseTarget("gate.example:8080");
  if (target === undefined) throw new Error("it is a target");
  const reasonFor = (address: string, reach: EgressReach = listed) =>
    judgeAddress(target, address, { reach, own: new Set(["203.0.114.7"]) });
  expect(reasonFor("1.1.1.1")).toBeUndefined();
  expect(reasonFor("10.0.0.5")).toBeUndefined();
  expect(reasonFor("10.0.0.6")).toBe(
    "gate.example is at 10.0.0.6: list 10.0.0.6:8080 too if that is right",
  );
  const special = { hosts: listed.hosts, local: ["169.254.169.254:8080", "127.0.0.1:8080"] };
  for (const address of ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.5", "203.0.114.7"])
    expect(reasonFor(address, special)).toBeDefined();
});
