import { expect, test } from "vitest";
import { addressKind } from "../../../src/host/egress/address-kind.ts";
import { parseRule, parseTarget, targetText } from "../../../src/host/egress/egress-target.ts";

test.for([
  ["api.example.com:443", "api.example.com:443"],
  ["API.Example.COM.:8443", "api.example.com:8443"],
  ["xn--bcher-kva.example:443", "xn--bcher-kva.example:443"],
  ["1.2.3.4:80", "1.2.3.4:80"],
  ["[2606:4700:0:0::1111]:443", "[2606:4700::1111]:443"],
])("%s is read as %s, whatever its spelling [T13.sandbox]", ([text = "", expected]) => {
  const target = parseTarget(text);
  expect(target && targetText(target)).toBe(expected);
});

test.for([
  ...["", "a", "a:", ":443", "a:0", "a:65536", "a:+443", "a:443x", "a:443\n", "a:4 43"],
  ...["evil.example\0.good.example:443", "evil.example\r\nHost: x:443", "user@good.example:443"],
  ...["user:secret@good.example:443", "good.example%2eevil.example:443", "good.example/x:443"],
  ...["http://good.example:443", "..:443", ".good.example:443", "good..example:443"],
  ...["good.example..:443", "-good.example:443", "gööd.example:443", "\u212Aelvin.example:443"],
  ...[`${"a".repeat(64)}.example:443`, `${"a.".repeat(130)}example:443`],
  // Resolvers take these for addresses, each in its own way.
  ...["2130706433:443", "0x7f000001:443", "0177.0.0.1:443", "127.1:443", "1.2.3:443"],
  ...["127.0.0.1.:443", "0x7f.1:443", "1.2.3.4.5:443", "good.example.1:443"],
  ...["::1:443", "[::1%lo]:443", "[127.0.0.1]:443", "[::1]443", "[]:443"],
])("%j is no target: somebody could read it in another way [T13.sandbox]", (text) => {
  expect(parseTarget(text)).toBeUndefined();
});

test.for([
  ["good.example", { host: "good.example", port: 443, isAddress: false, isSuffix: false }],
  ["*.good.example:8443", { host: "good.example", port: 8443, isAddress: false, isSuffix: true }],
  ["http://good.example/v1", { host: "good.example", port: 80, isAddress: false, isSuffix: false }],
  [
    "https://u:p@good.example/",
    { host: "good.example", port: 443, isAddress: false, isSuffix: false },
  ],
  ["http://127.0.0.1:11434", { host: "127.0.0.1", port: 11434, isAddress: true, isSuffix: false }],
  ["2606:4700::1", { host: "2606:4700::1", port: 443, isAddress: true, isSuffix: false }],
  ["*", undefined],
  ["*.com", undefined],
  ["*.1.2.3.4", undefined],
  ["a.*.example", undefined],
  ["ftp://good.example", undefined],
  ["good.example:https", undefined],
] as const)("the entry %s stands for one thing or for nothing [T13.sandbox]", ([text, rule]) => {
  expect(parseRule(text)).toEqual(rule);
});

test.for([
  ["public", ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"]],
  ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
  ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd00::1"]],
  [
    "special",
    [
      ...["0.0.0.0", "169.254.169.254", "168.63.129.16", "100.100.100.200", "224.0.0.1"],
      ...["255.255.255.255", "192.0.2.1", "198.18.0.1", "192.88.99.1"],
      ...["::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:1.1.1.1", "::127.0.0.1"],
      ...["64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::1", "2001:db8::1"],
      ...["fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1", "no address", ""],
    ],
  ],
] as const)("%s addresses are told from all others [T13.sandbox]", ([kind, addresses]) => {
  expect(addresses.map((address) => [address, addressKind(address)])).toEqual(
    addresses.map((address) => [address, kind]),
  );
});
