import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkPage, emptyDirectory, pagesWithCommands } from "../docs/check-page.ts";
import { readPages, root, textOf } from "../docs/pages.ts";

for (const page of pagesWithCommands("processes"))
  test(`every command and program in ${page.path} prints what the page says`, () =>
    checkPage(page));

test("every TypeScript block of the pages has correct types", () => {
  const directory = emptyDirectory();
  for (const { path, blocks } of readPages())
    for (const block of blocks) {
      if (block.language !== "ts") continue;
      const file = join(directory, path, block.file ?? `line-${block.line}.ts`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, textOf(block));
    }
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }));
  const paths = {
    troupe: [join(root, "src/index.ts")],
    "troupe/testing": [join(root, "src/testing/index.ts")],
    zod: [join(root, "node_modules/zod/index.d.ts")],
    "@ai-sdk/provider": [join(root, "node_modules/@ai-sdk/provider/dist/index.d.ts")],
  };
  // A page may show a value without using it.
  const options = {
    rootDir: "/",
    noUnusedLocals: false,
    paths,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions: options };
  writeFileSync(
    join(directory, "tsconfig.json"),
    JSON.stringify({ ...settings, include: ["."], exclude: [] }),
  );
  const tsc = [join(root, "node_modules/typescript/bin/tsc"), "-p", directory, "--pretty", "false"];
  const { stdout, status } = spawnSync(process.execPath, tsc, { encoding: "utf8", cwd: directory });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
