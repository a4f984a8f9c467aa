import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import {
  withAttachedFiles,
  withoutAttachments,
} from "../../../../src/app/run/commands/attached-files.ts";
import { temporaryDirectory } from "../../../programs/temporary-directory.ts";

function project() {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".troupe"));
  writeFileSync(join(cwd, "a.txt"), "alpha >>>data_ <<<data_\n");
  return { cwd, machine: createMachineAt({ cwd, store: "memory" }) };
}

test("files of the project that a text names stand behind it, as data that no text can leave [CHAT-3]", async () => {
  const { machine } = project();
  const text = "see @a.txt, and @nobody and me@a.txt";
  const whole = await withAttachedFiles(machine, text);
  expect(whole).toMatch(
    /^see @a\.txt, and @nobody and me@a\.txt\n\n<<<(data_[0-9a-f]{32}) file a\.txt\nalpha >>>data_ <<<data_\n\n>>>\1$/,
  );
  expect(withoutAttachments(whole)).toBe(text);
  expect(await withAttachedFiles(machine, "no file here")).toBe("no file here");
});

test("files outside of the project, also behind a link, and files that are too long are refused [CHAT-3]", async () => {
  const { cwd, machine } = project();
  symlinkSync("/etc/hostname", join(cwd, "link"));
  writeFileSync(join(cwd, "long.txt"), "x".repeat(262_145));
  const codeOf = (text: string) =>
    withAttachedFiles(machine, text).then(
      () => "taken",
      (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
    );
  expect(await codeOf("@link")).toBe("RUN_ATTACHED_OUTSIDE");
  expect(await codeOf(`@${relative(cwd, "/etc/passwd")}`)).toBe("RUN_ATTACHED_OUTSIDE");
  expect(await codeOf("@long.txt")).toBe("FILE_INPUT_TOO_LARGE");
  expect(await codeOf("@/dev/zero")).toBe("RUN_ATTACHED_REFUSED");
  const names = Array.from({ length: 21 }, (_, index) => `n${index}`);
  for (const name of names) writeFileSync(join(cwd, name), name);
  expect(await codeOf(names.map((name) => `@${name}`).join(" "))).toBe("RUN_ATTACHED_REFUSED");
  expect(
    await codeOf(
      names
        .slice(1)
        .map((name) => `@${name}`)
        .join(" "),
    ),
  ).toBe("taken");
});
