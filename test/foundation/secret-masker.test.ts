import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecretMasker } from "../../src/foundation/secret-masker.ts";
import { casesOf } from "../cases.ts";

const SECRET = 'pa ss+word/"1?ü';
const masker = createSecretMasker([SECRET, "abcabc", "abcabcdef", "short"]);

test("a secret is masked as it is, URL-encoded, in JSON, in Base64 and inside longer Base64 [AGT-11, P23.encodings, T11]", () => {
  const encoded = encodeURIComponent(SECRET);
  const inBase64 = ["", "u:", "us:", "user:"].map((before) =>
    Buffer.from(`${before}${SECRET}!`).toString("base64"),
  );
  const texts = [SECRET, encoded, encoded.toLowerCase(), JSON.stringify(SECRET), ...inBase64];
  for (const text of texts) expect(masker.mask(`<${text}>`)).toContain("***");
  expect(masker.mask(`a ${SECRET} b ${encoded} c`)).toBe("a *** b *** c");
});

test("short values are left alone, and of two secrets the longer one wins", () => {
  expect(masker.mask("short abcabcdef abcabc")).toBe("short *** ***");
});

test("texts anywhere in a value are masked, names too", () => {
  const value = { a: ["x abcabc", 1, null, true], abcabc: { b: "abcabc" } };
  expect(masker.maskJson(value)).toEqual({ a: ["x ***", 1, null, true], "***": { b: "***" } });
});

test("without secrets everything stays as it is", () => {
  const nothing = createSecretMasker(["short"]);
  expect([nothing.isEmpty, nothing.mask("short")]).toEqual([true, "short"]);
});

test("a stream masks the same however its bytes are cut [P23.stream]", () => {
  const wide = createSecretMasker([SECRET, "abcabc", "abcdef", "pässword-€", "y".repeat(3000)]);
  const piece = fc.constantFrom(
    ...["abc", "abcabc", "def", "x", "a", SECRET, SECRET.slice(0, 5), "\n"],
    ...["pässword-€", "p\u00e4ss", "€", "x".repeat(2000), "y".repeat(3000), "y".repeat(1400)],
  );
  const property = fc.property(fc.array(piece), fc.array(fc.nat(4000)), (pieces, cuts) => {
    const text = pieces.join("");
    const bytes = Buffer.from(text);
    const stream = wide.stream();
    const out: Buffer[] = [];
    let start = 0;
    for (const cut of cuts) {
      out.push(...stream.push(bytes.subarray(start, start + cut)));
      start += cut;
    }
    out.push(...stream.push(bytes.subarray(start)), stream.end());
    expect(Buffer.concat(out).toString()).toBe(wide.mask(text));
  });
  fc.assert(property, { numRuns: casesOf(500, 10) });
});

test("a stream holds back only what may become a secret, and changes nothing else", () => {
  const stream = masker.stream();
  const push = (chunk: Buffer) => Buffer.concat(stream.push(chunk));
  expect(push(Buffer.from("hello abca")).toString()).toBe("hello ");
  expect(push(Buffer.from("x")).toString()).toBe("abcax");
  const noText = Buffer.from([0xff, 0x80, 0x41, 0xc3]);
  expect(push(noText)).toEqual(noText);
});

test("secrets that overlap or touch are all masked, wherever one begins in another [AGT-11]", () => {
  const overlapping = createSecretMasker(["abcdefgh", "efghijkl", "aaaaaa", "bcdefg"]);
  expect(overlapping.mask("<abcdefghijkl>")).toBe("<***>");
  expect(overlapping.mask("xabcdefg bcdefgh")).toBe("xa*** ***h");
  expect(overlapping.mask(`${"a".repeat(1000)}!`)).toBe("***!");
});

test("every place of every secret is masked and nothing else is [AGT-11]", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 60 });
  const secrets = fc.array(
    fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 9 }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(text, secrets, (given, values) => {
      const shown = createSecretMasker(values).mask(given);
      expect(shown).toBe(maskSlowly(given, values));
    }),
    { numRuns: casesOf(500, 10) },
  );
});

test("a thousand secrets, and one of 200,000 characters that all but stands in a text, cost what one costs [AGT-11, T11]", () => {
  const many = Array.from({ length: 1000 }, (_, index) => `key-${index}-${"x".repeat(40)}`);
  const long = `${"a".repeat(200_000)}b`;
  const wide = createSecretMasker([...many, long]);
  const text = `${"a".repeat(199_999)}c`.repeat(4);
  expect(wide.mask(`${text} ${many[7]} ${long}`)).toBe(`${text} *** ***`);
});

test("each way in which a secret is commonly written is masked, in bytes too [AGT-11, T11]", () => {
  const secret = "a b>>>c???/ü";
  const own = createSecretMasker([secret]);
  const encoded = encodeURIComponent(secret);
  const base64 = Buffer.from(secret).toString("base64");
  const url = Buffer.from(secret).toString("base64url");
  expect([base64.includes("+") || base64.includes("/"), url === base64]).toEqual([true, false]);
  const forms = [
    secret,
    encoded,
    encoded.toLowerCase(),
    encoded.replaceAll("%20", "+"),
    base64,
    url,
    Buffer.from(`x${secret}`).toString("base64url").slice(2),
  ];
  for (const form of forms) {
    const shown = own.mask(`<${form}>`);
    expect([form, shown.startsWith("<***"), shown.length < 10]).toEqual([form, true, true]);
    const stream = own.stream();
    const out = [...stream.push(Buffer.from(`<${form}>`)), stream.end()];
    expect(Buffer.concat(out).toString()).toBe(shown);
  }
});

test("six characters are a secret, five are a word [AGT-11]", () => {
  expect(createSecretMasker(["abcde"]).isEmpty).toBe(true);
  const six = createSecretMasker(["abcdef"]);
  expect([six.isEmpty, six.mask("abcdef abcde")]).toEqual([false, "*** abcde"]);
});

test("a stream that has ended begins anew", () => {
  const stream = createSecretMasker(["abcdef"]).stream();
  expect(Buffer.concat(stream.push(Buffer.from("xabc"))).toString()).toBe("x");
  expect(stream.end().toString()).toBe("abc");
  expect(Buffer.concat([...stream.push(Buffer.from("def!")), stream.end()]).toString()).toBe(
    "def!",
  );
  expect(
    Buffer.concat([...stream.push(Buffer.from("abcdefabcdef")), stream.end()]).toString(),
  ).toBe("******");
  const nothing = createSecretMasker([]).stream();
  const chunk = Buffer.from("abc");
  expect([nothing.push(chunk)[0], nothing.end().length]).toEqual([chunk, 0]);
});

function maskSlowly(text: string, secrets: readonly string[]): string {
  const spans = secrets
    .flatMap((secret) =>
      [...text].flatMap((_, start) =>
        text.startsWith(secret, start) ? [{ start, end: start + secret.length }] : [],
      ),
    )
    .toSorted((left, right) => left.start - right.start);
  let out = "";
  let done = 0;
  for (const { start, end } of spans) {
    if (start >= done) out += `${text.slice(done, start)}***`;
    done = Math.max(done, end);
  }
  return out + text.slice(done);
}

const BETWEEN = [
  ...["\u001b[m\u001b[K", "\u001b[01;31m\u001b[K", "\u001b]8;;http://localhost/\u0007", "\u001b(B"],
  ...["\u001b]0;title\u001b\\", "\u0000", "\b", "\u007f", "\r", "\u0085", "\u00ad", "\u200b"],
  ...["\u200d", "\u202e", "\u2060", "\ufe0f", "\ufeff", "\u{e0041}", "\u200b\u001b[1m\u0007"],
];

test.each(BETWEEN)("a secret with %j inside is masked [SEC-10.masks, T11]", (between) => {
  const own = createSecretMasker(["hunter2-mail", "pa\rss\u001b[1mword"]);
  const cuts = [1, 4, 8, 11];
  const parts = cuts.map((cut, at) => "hunter2-mail".slice(cuts[at - 1] ?? 0, cut));
  const text = `<${parts.join(between)}l> ${between}x${between} pass${between}word!`;
  const expected = `<***> ${between}x${between} ***!`;
  expect(own.mask(text)).toBe(expected);
  const bytes = Buffer.from(text);
  for (const step of [1, 2, 3, 7, bytes.length]) {
    const stream = own.stream();
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += step)
      out.push(...stream.push(bytes.subarray(at, at + step)));
    expect(Buffer.concat([...out, stream.end()]).toString()).toBe(expected);
  }
});
