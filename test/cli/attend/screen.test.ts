import { expect, test } from "vitest";
import { Screen } from "../../../src/cli/attend/screen.ts";
import { cutTo, toSteady } from "../../../src/cli/terminal/measure.ts";
import { seededRandom } from "../../../src/foundation/random.ts";
import { createEmulator, type Emulator } from "./emulator.ts";

function createScreen(terminal: Emulator, reflows = true): Screen {
  return new Screen({ write: terminal.write, columns: terminal.columns, reflows });
}

function picture(columns: number, ...texts: readonly string[]): readonly string[] {
  return ["─".repeat(columns - 1), ...texts.map((text) => cutTo(toSteady(text), columns - 1))];
}

test("lines stay above the picture, and the picture is replaced [CLI-1]", async () => {
  const terminal = createEmulator(40, 10);
  const screen = createScreen(terminal);
  screen.paint(["one", "two", "three"]);
  screen.print("said");
  screen.paint(["four"]);
  expect(await terminal.lines()).toEqual(["said", "four"]);
  terminal.write(screen.clearing());
  expect(await terminal.lines()).toEqual(["said"]);
});

test("the same picture writes nothing, and a changed line only itself", () => {
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  const screen = new Screen({ write, columns: () => 40, reflows: true });
  screen.paint(["header", "row", "footer"]);
  written = "";
  screen.paint(["header", "row", "footer"]);
  expect(written).toBe("");
  screen.paint(["header", "another", "footer"]);
  expect(written).toContain("another");
  expect(written).not.toContain("footer");
});

test("more lines than the screen has go into the scrollback, none is lost", async () => {
  const terminal = createEmulator(40, 6);
  const screen = createScreen(terminal);
  const said = Array.from({ length: 30 }, (_, index) => `said ${index}`);
  for (const line of said) {
    screen.print(line);
    screen.paint(["header", `after ${line}`]);
  }
  expect(await terminal.lines()).toEqual([...said, "header", "after said 29"]);
});

test("a printed line that fills the width exactly, or more than once, is whole", async () => {
  const terminal = createEmulator(20, 10);
  const screen = createScreen(terminal);
  screen.paint(["picture of old", "second"]);
  const said = ["x".repeat(20), "y".repeat(47), "数据".repeat(10)];
  for (const line of said) screen.print(line);
  screen.paint(["new"]);
  expect(await terminal.lines()).toEqual([...said, "new"]);
});

test("after the terminal got narrower and wider no ghost of an old picture is left [CLI-1]", async () => {
  const terminal = createEmulator(120, 40);
  const screen = createScreen(terminal);
  const rows = [
    "header 数据库 👩‍👩‍👧 ".repeat(12),
    "row",
    "x".repeat(118),
    "數".repeat(70),
    "footer",
  ];
  screen.print("said first");
  screen.paint(picture(120, ...rows));
  for (const columns of [80, 40, 41, 60, 43, 120, 50, 119]) {
    await terminal.resize(columns, 40);
    screen.distrust();
    screen.print(`said at ${columns}`);
    screen.paint(picture(columns, ...rows));
  }
  const lines = await terminal.lines();
  const said = ["first", ...[80, 40, 41, 60, 43, 120, 50, 119].map((columns) => `at ${columns}`)];
  expect(lines.slice(0, said.length)).toEqual(said.map((text) => `said ${text}`));
  expect(lines.slice(said.length)).toEqual(picture(119, ...rows).map((line) => line.trimEnd()));
});

test.each([1, 2, 3, 4])(
  "whatever is printed, painted and resized, all that was said is there once and one picture (seed %i) [CLI-1]",
  async (seed) => {
    const random = seededRandom(`screen ${seed}`);
    const upTo = (limit: number) => Math.floor(random() * limit);
    const terminal = createEmulator(100, 45);
    const screen = createScreen(terminal);
    const words = ["plain text", "数据库", "👨‍👩‍👧‍👦", "😀", "─".repeat(9), "tail"];
    const text = () =>
      Array.from({ length: upTo(20) + 1 }, () => words[upTo(words.length)]).join("-");
    const said: string[] = [];
    let shown: readonly string[] = [];
    for (let turn = 0; turn < 25; turn += 1) {
      if (upTo(4) === 0) {
        await terminal.resize(40 + upTo(80), 45);
        screen.distrust();
      }
      for (let count = upTo(3); count > 0; count -= 1) {
        said.push(toSteady(`${said.length} ${text()}`));
        screen.print(said.at(-1) ?? "");
      }
      const columns = terminal.columns();
      shown = picture(columns, ...Array.from({ length: 1 + upTo(8) }, text));
      screen.paint(shown);
    }
    const lines = await terminal.lines();
    expect(lines).toEqual([...said, ...shown].map((line) => line.trimEnd()));
  },
);

test("in a terminal that does not break lines anew, nothing above the picture is painted over", async () => {
  const written: string[] = [];
  let columns = 80;
  const screen = new Screen({
    write: (text) => written.push(text),
    columns: () => columns,
    reflows: false,
  });
  screen.paint(["x".repeat(79), "footer"]);
  columns = 40;
  screen.distrust();
  screen.paint(["x".repeat(39), "footer"]);
  expect(written.at(-1)).toContain("\r\u001b[1A\u001b[2K");
});

test("a character that the terminal draws wider than expected is cut off and moves nothing", async () => {
  const terminal = createEmulator(20, 10);
  const screen = createScreen(terminal);
  // This terminal draws the four people of each family side by side.
  for (let count = 0; count < 3; count += 1)
    screen.paint(["top", "👨‍👩‍👧‍👦".repeat(9), `bottom ${count}`]);
  const [top, , bottom, ...rest] = await terminal.lines();
  expect([top, bottom, rest]).toEqual(["top", "bottom 2", []]);
});
