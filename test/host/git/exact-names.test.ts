import { expect, test } from "vitest";
import { exactText, nameBytes, quotedName, shownName } from "../../../src/host/git/exact-names.ts";

const names: readonly (readonly [string, readonly number[], string])[] = [
  ["plain text", [0x61, 0x2f, 0x62], "a/b"],
  ["text beyond ASCII", [...Buffer.from("\u00fc/\u{1f600}")], "\u00fc/\u{1f600}"],
  ["Latin-1", [0x63, 0xe9], "c\ufffd"],
  ["text around a byte that is none", [0xc3, 0xbc, 0xff, 0xc3, 0xbc], "\u00fc\ufffd\u00fc"],
  ["a character that is cut off", [0x61, 0xf0, 0x9f, 0x98], "a\ufffd\ufffd\ufffd"],
  ["half of a pair in bytes", [0xed, 0xb2, 0x80], "\ufffd\ufffd\ufffd"],
  ["the mark of what was replaced", [0xef, 0xbf, 0xbd], "\ufffd"],
  ["quotes, backslashes and line ends", [0x22, 0x5c, 0x0a, 0xe9], '"\\\n\ufffd'],
];

test.each(names)(
  "a name of %s keeps its bytes and can be shown [AGT-22.merge]",
  (_, bytes, shown) => {
    const name = exactText(Uint8Array.from(bytes));
    expect([...nameBytes(name)]).toEqual(bytes);
    expect(JSON.parse(JSON.stringify(name))).toBe(name);
    expect(shownName(name)).toBe(shown);
  },
);

test("names are quoted in plain ASCII [AGT-22.merge]", () => {
  const quoted = names.map(([, bytes]) => quotedName(exactText(Uint8Array.from(bytes))));
  expect(quoted.filter((name) => !/^"[\x20-\x7e]+"$/.test(name))).toEqual([]);
  expect(quoted.at(-1)).toBe('"\\042\\134\\012\\351"');
});
