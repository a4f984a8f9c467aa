import { expect, test } from "vitest";
import { isSameBuild } from "../../../../src/app/machine/place/version.ts";

test.each([
  ["0.1.0+1f3c9ab2", "0.1.0+1f3c9ab2", true],
  ["0.1.0+1f3c9ab2", "0.1.0+77777777", false],
  ["0.1.0+1f3c9ab2", "0.2.0+1f3c9ab2", false],
  ["0.1.0+1f3c9ab2", "0.1.0", false],
  ["0.1.0+sources", "0.1.0+77777777", true],
  ["0.1.0+sources", "0.2.0+77777777", false],
])("of builds %s and %s it is %s that they are the same", (one, other, isSame) => {
  expect([isSameBuild(one, other), isSameBuild(other, one)]).toEqual([isSame, isSame]);
});
