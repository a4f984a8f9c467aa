import { expect, test } from "vitest";
import {
  freeShortId,
  ID_PATTERN,
  INSTANCE_PATTERN,
  shortId,
  ulid,
} from "../../src/foundation/ids.ts";
import { seededRandom } from "../../src/foundation/random.ts";

test("a short id is its prefix and six characters that cannot be mistaken for others", () => {
  for (const random of [seededRandom("a"), seededRandom("b")])
    expect(shortId("run", random)).toMatch(/^run_[0-9a-hjkmnp-tv-z]{6}$/);
  expect(shortId("run", () => 0)).toBe("run_000000");
  expect(shortId("run", () => 0.999)).toBe("run_zzzzzz");
});

test("a free id is the first that nobody has of those that are drawn", () => {
  const drawn = seededRandom("x");
  const [first, second, third] = [1, 2, 3].map(() => shortId("run", drawn));
  const asked: string[] = [];
  const id = freeShortId("run", seededRandom("x"), (candidate) => {
    asked.push(candidate);
    return candidate !== third;
  });
  expect([id, asked]).toEqual([third, [first, second, third]]);
});

test("a ULID says its time as others write and sort it, then is random", () => {
  expect(ulid(1_469_918_176_385, () => 0)).toBe("01ARYZ6S410000000000000000");
  expect(ulid(281_474_976_710_655, () => 0.999)).toBe("7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  expect(ulid(0, seededRandom("a"))).toMatch(/^0{10}[0-9A-HJKMNP-TV-Z]{16}$/);
  expect(ulid(31, () => 0.5) < ulid(32, () => 0)).toBe(true);
});

test("no id is a name that every object has, however it is written", () => {
  for (const name of ["constructor", "Prototype", "CONSTRUCTOR"]) {
    expect([name, ID_PATTERN.test(name), INSTANCE_PATTERN.test(name)]).toEqual([
      name,
      false,
      false,
    ]);
    expect([name, ID_PATTERN.test(`${name}s`), INSTANCE_PATTERN.test(`${name}s`)]).toEqual([
      name,
      true,
      true,
    ]);
  }
  expect(["a.b", "1a", "a..b", ".a"].map((name) => INSTANCE_PATTERN.test(name))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
