import { expect, test } from "vitest";
import { eventMask } from "../../../src/app/run/owner/mask-event.ts";
import { reportError } from "../../../src/cli/command/report-error.ts";
import { readSettings } from "../../../src/cli/terminal/settings.ts";
import { createSecretMasker } from "../../../src/foundation/secret-masker.ts";
import { createFakeIo } from "../fake-io.ts";

const PEM = `-----BEGIN PRIVATE KEY-----\n${"MIIEv0QQQ".repeat(60)}\nZm9v two words\n-----END PRIVATE KEY-----`;

test.each(["text", "document"] as const)(
  "an internal error shows the beginning of its message, and no part of a secret that its end would cut: %s",
  (errorForm) => {
    const io = createFakeIo({ env: { DEPLOY_KEY: PEM } });
    const error = new Error(`${"x".repeat(900)} ${PEM} ${"y".repeat(20_000)}`);
    expect(reportError(error, io, readSettings({}, io, errorForm))).toBe(70);
    const told = io.out() + io.err();
    expect(told).toContain("xxx ***");
    expect(told).not.toMatch(/BEGIN|MIIE|Zm9v/);
    expect(told).toMatch(/… \(\d{5} more characters\)/);
    expect(told.length).toBeLessThan(2000);
  },
);

test("an internal error is shortened in the journal too, after its secrets are masked", () => {
  const { event } = eventMask(createSecretMasker([PEM]));
  const message = `${"x".repeat(990)} ${PEM} ${"y".repeat(20_000)}`;
  const place = { step: "s", path: "s", execution: 1, attempt: 1, durationMs: 1, note: "n" };
  const error = { code: "INTERNAL", message };
  for (const data of [
    event({ type: "step-failed", ...place, error }),
    event({ type: "operation-settled", op: "o", outcome: { status: "error", error } }),
  ]) {
    const text = JSON.stringify(data);
    expect(text).toContain("xxx ***");
    expect(text).not.toMatch(/BEGIN|MIIE/);
    expect(text.length).toBeLessThan(1400);
  }
});

test.each(["text", "document"] as const)(
  "what an internal error says of a secret of the environment is masked, in its trace as well: %s",
  (errorForm) => {
    const io = createFakeIo({ env: { MY_TOKEN: "tok-1234567890" } });
    const settings = readSettings({ verbose: true }, io, errorForm);
    const error = new SyntaxError('Unexpected token in "key: tok-1234567890"');
    expect(reportError(error, io, settings)).toBe(70);
    const told = io.out() + io.err();
    expect(told).toContain("INTERNAL");
    expect(told).toContain("key: ***");
    expect(told).not.toContain("tok-1234567890");
  },
);
