import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderReport } from "../../src/app/history/run-report.ts";
import type { EventData } from "../../src/contracts/events/event.ts";
import type { RunReport } from "../../src/contracts/ports/run-report.ts";
import { lookOfRun } from "../../src/dashboard/client/model/look.ts";
import { parseRoute } from "../../src/dashboard/client/model/route.ts";
import { createRunModel, readReport } from "../../src/dashboard/client/model/run-model.ts";
import { foldAll } from "../../src/fold/fold.ts";
import {
  beginning,
  graphOf,
  longReport,
  posted,
  sampleReport,
  spawned,
  stepCompleted,
  stepStarted,
  toJournal,
  toReport,
  turnCompleted,
  turnStarted,
} from "../dashboard/sample-report.ts";
import { has } from "../machine.ts";
import { findChromium, openHtml, startBrowser } from "./browser.ts";
import { createProject, troupe } from "./troupe-process.ts";

const PAGES = ["summary", "graph", "steps", "timeline", "messages", "documents", "cost", "events"];

const FRAME_MS = 16.7;

/** Its second step kills the process that carries it out. */
const GONE = `version: "1.0"
name: gone
pattern: dag
steps:
  - { id: first, command: "echo first" }
  - { id: second, dependsOn: [first], command: "kill -9 $PPID; sleep 60" }
`;

const built = readFileSync(join(import.meta.dirname, "../../assets/report.html"), "utf8");

function htmlOf(report: RunReport): string {
  return renderReport(built, report);
}

test("the report of a run whose process is gone says that it is suspended, and of nothing that it runs [USE-11]", async () => {
  const cwd = createProject({ "gone.yaml": GONE });
  await troupe(cwd, ["run", "gone.yaml"]);
  await troupe(cwd, ["report", "@last", "-o", "gone.html"]);
  const html = readFileSync(join(cwd, "gone.html"), "utf8");
  const [, data = ""] = /<script[^>]*id="troupe-run"[^>]*>([^<]*)</.exec(html) ?? [];
  const report = await readReport(data);
  if (report === undefined) throw new Error("the page holds no report");
  const model = createRunModel(report, parseRoute(""));
  const { state, steps, isLeft } = model.moment.value;
  expect(state.phase.status).toBe("running");
  expect(lookOfRun(state, isLeft)).toEqual({ look: "suspended", word: "suspended" });
  expect(steps.map(({ path, look }) => `${path} ${look}`)).toEqual([
    "first completed",
    "second suspended",
  ]);
  const { attempts, turns } = model.history;
  expect([...attempts, ...turns].map(({ end }) => end)).toEqual(["completed", "interrupted"]);
  model.moveTo(report.events.length - 1);
  const before = model.moment.value;
  expect(lookOfRun(before.state, before.isLeft).word).toBe("running");
});

describe.runIf(has("chromium"))("a report in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser(findChromium() ?? "");
  });
  afterAll(() => browser.close());

  test("every page of a run opens from a file without a complaint or a request", async () => {
    const { page, complaints, requests } = await openHtml(browser, htmlOf(sampleReport()));
    for (const tab of PAGES) {
      await page.locator(`.top nav a[href*="tab=${tab}"]`).click();
      await expectShown(page, tab);
    }
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  test("everything on the page is as it was after the event that is chosen", async () => {
    const report = sampleReport();
    const { page } = await openHtml(browser, htmlOf(report));
    const facts = async () => ({
      state: await textOf(page.locator(".top .badge")),
      figures: await page.locator(".figures dd").allTextContents(),
      messages: await textOf(page.locator(".top nav .number").first()),
    });
    expect((await facts()).state.trim()).toBe("failed");
    await page.keyboard.press("Home");
    expect(await facts()).toMatchObject({
      messages: "0",
      figures: ["0/6", "0ms", "$0.00", "0"],
    });
    for (let position = 1; position <= report.events.length; position += 1) {
      await page.keyboard.press("ArrowRight");
      const state = foldAll(report.run, report.events.slice(0, position));
      expect(await facts(), `after event ${position}`).toMatchObject({
        messages: String(state.messages.recent.length),
        figures: [
          `${state.steps.counts.completed}/6`,
          expect.any(String),
          expect.any(String),
          expect.any(String),
        ],
      });
    }
    await open(page, "#tab=graph&at=20");
    const words = await page
      .locator("a.node")
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label")));
    expect(words).toEqual([
      "plan, completed",
      "approve, completed, after plan",
      "code-api, running, after approve",
      "code-ui, running, after approve",
      "test, not begun, after code-api, code-ui",
      "review, not begun, after test, plan",
    ]);
    await open(page, "#tab=documents&at=20");
    expect(await textOf(page.locator(".document"))).not.toContain("Changes\n");
    await open(page, "#tab=messages&at=24");
    expect(await textOf(page.locator(".receipts"))).toContain("@coder");
    expect(await page.locator(".receipts [aria-label='being read']").count()).toBe(2);
  });

  test("a run can be gone through with the keyboard alone", async () => {
    const { page } = await openHtml(browser, htmlOf(sampleReport()));
    const at = () => page.getByRole("slider").inputValue();
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await at()).toBe("48");
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await at()).toBe("46");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    expect(await textOf(page.locator(".what"))).toBe("notes at revision 1");
    await page.keyboard.press("3");
    await expectShown(page, "steps");
    await page.getByRole("link", { name: "plan" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await textOf(page.locator("aside.detail h2"))).toBe("approve");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("8");
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("9 approval");
    expect(await page.locator("tbody tr:not([aria-hidden])").count()).toBe(0);
    expect(await at()).toBe("13");
  });

  test("hundreds of steps are filtered by text and state, failed ones come first, and the address says so", async () => {
    const { page, complaints } = await openHtml(browser, htmlOf(longReport(2000)), {
      hash: "#tab=steps",
    });
    const first = page.locator("tbody tr:not([aria-hidden]) .col-step").first();
    const count = page.locator(".tools [aria-live]");
    expect(await textOf(first)).toBe("part-1");
    await page.getByLabel("Failed first").check();
    expect(await textOf(first)).toBe("part-40");
    await page.getByLabel("State").selectOption("failed");
    expect(await textOf(count)).toBe("5 steps");
    await page.getByLabel("State").selectOption("");
    await page.getByRole("searchbox").fill("part-20");
    expect(await textOf(count)).toBe("11 steps");
    expect(await textOf(first)).toBe("part-200");
    await page.waitForFunction(() => location.hash.includes("find=part-20"));
    const hash = await page.evaluate(() => location.hash);
    const again = await openHtml(browser, htmlOf(longReport(2000)), { hash });
    expect(await textOf(again.page.locator(".tools [aria-live]"))).toBe("11 steps");
    expect(await again.page.getByLabel("Failed first").isChecked()).toBe(true);
    await page.getByRole("searchbox").fill("nothing like this");
    expect(await textOf(page.locator(".empty"))).toBe("No step is like this.");
    expect(complaints).toEqual([]);
  });

  test("lines of a graph say which route they are, rounds of a loop follow each other, and the drawing gets larger, smaller and whole", async () => {
    const { page, complaints } = await openHtml(browser, htmlOf(loopedReport()), {
      hash: "#tab=graph",
    });
    expect(await page.locator(".edge-label").allTextContents()).toEqual(["then", "else"]);
    expect(await page.locator(".edge").count()).toBe(6);
    const width = async () => Number(await page.locator(".graph svg").getAttribute("width"));
    const first = await width();
    await page.getByRole("button", { name: "Larger" }).click();
    const larger = await width();
    expect(larger).toBeGreaterThan(first);
    await page.getByRole("region", { name: "Graph" }).focus();
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    expect(await width()).toBeLessThan(larger);
    await page.getByRole("button", { name: "Fit" }).click();
    const [drawn, room] = await page.evaluate(() => {
      const graph = document.querySelector(".graph");
      const svg = graph?.querySelector("svg");
      return [svg?.getBoundingClientRect(), graph?.getBoundingClientRect()];
    });
    expect(drawn?.width).toBeLessThanOrEqual(room?.width ?? 0);
    expect(drawn?.height).toBeLessThanOrEqual(room?.height ?? 0);
    expect(complaints).toEqual([]);
  });

  test("a step shows what its turns changed in files, line by line and as text", async () => {
    const { page, complaints } = await openHtml(browser, htmlOf(editingReport()), {
      hash: "#tab=steps&step=code",
    });
    await page.getByText("coder, turn 1").click();
    const changes = page.getByRole("region", { name: "Changes to src/a.ts" });
    expect((await textOf(changes)).trim().split("\n")).toEqual([
      "const a = 1;",
      "- const b = '<b>';",
      "+ const b = '<i>';",
    ]);
    expect(await textOf(page.locator("aside.detail"))).toContain("Also changed: package.json");
    await page.keyboard.press("Home");
    expect(await page.locator(".diff").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("space plays the run to its end and stops there", async () => {
    const { page } = await openHtml(browser, htmlOf(sampleReport()), { hash: "#at=40" });
    await page.getByLabel("Speed").selectOption("8");
    await page.getByLabel("Speed").blur();
    // Time stands still in the page, so that it is still playing when somebody looks.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause (Space)" }).waitFor();
    expect(await page.getByRole("slider").inputValue()).toBe("40");
    await page.clock.runFor(60_000);
    await page.getByRole("button", { name: "Play (Space)" }).waitFor();
    expect(await page.getByRole("slider").inputValue()).toBe("49");
  });

  test("the address leads back to the same view", async () => {
    const { page } = await openHtml(browser, htmlOf(sampleReport()), {
      hash: "#tab=steps&at=44&step=test",
    });
    expect(await textOf(page.locator("aside.detail h2"))).toBe("test");
    expect(await page.getByRole("slider").inputValue()).toBe("44");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => location.hash === "#tab=steps&at=43&step=test");
    await page.getByRole("link", { name: "Graph" }).click();
    await page.goBack();
    await expectShown(page, "steps");
    expect(await page.getByRole("slider").inputValue()).toBe("43");
  });

  test("what agents write is text wherever it is shown, and runs nothing [T12]", async () => {
    const { page, complaints, requests } = await openHtml(browser, htmlOf(hostileReport()));
    await page.evaluate(() => {
      Object.assign(window, { isOwned: () => "no" });
    });
    for (const tab of PAGES) {
      await open(page, `#tab=${tab}&step=code&message=m1&event=9`);
      await expectShown(page, tab);
      expect(
        await page.locator("#root img, #root script, #root iframe, #root [onerror]").count(),
      ).toBe(0);
      expect(await page.locator('#root a:not([href^="#"], [href^="http"])').count()).toBe(0);
      for (const link of await page.locator('#root a[href^="http"]').all())
        expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    }
    await open(page, "#tab=steps&step=code");
    const text = await textOf(page.locator("aside.detail"));
    expect(text).toContain("<img src=x onerror=owned()>");
    expect(text).toContain("[click](javascript:owned())");
    expect(text).toContain("a<U+202E>gpj.exe");
    expect(text).toContain("␛]0;title␇");
    expect(await page.evaluate(() => "owned" in window)).toBe(false);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  test("no script but the page's own runs, even if one got into the page [T12]", async () => {
    const planted = '<script>window.owned = 1</script><img src="x" onerror="window.owned = 1">';
    const html = htmlOf(sampleReport()).replace("<noscript>", `${planted}<noscript>`);
    const { page, complaints } = await openHtml(browser, html);
    await page.getByRole("link", { name: "Graph" }).click();
    expect(await page.evaluate(() => "owned" in window)).toBe(false);
    expect(complaints.some((complaint) => complaint.includes("Content Security Policy"))).toBe(
      true,
    );
  });

  test.each(["light", "dark"] as const)(
    "every text has the contrast of AA in %s mode",
    async (colorScheme) => {
      const { page } = await openHtml(browser, htmlOf(sampleReport()), { colorScheme });
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(background).toBe(colorScheme === "dark" ? "rgb(14, 17, 22)" : "rgb(246, 247, 249)");
      for (const tab of PAGES)
        for (const at of [20, 49]) {
          await open(page, `#tab=${tab}&at=${at}&step=test&message=m1&event=9`);
          expect(await page.evaluate(findFaintTexts), `${tab} at ${at}`).toEqual([]);
        }
    },
  );

  test("a narrow page scrolls inside its parts and never sideways", async () => {
    const viewport = { width: 400, height: 800 };
    const { page } = await openHtml(browser, htmlOf(sampleReport()), { viewport });
    for (const tab of PAGES) {
      await open(page, `#tab=${tab}&step=test&message=m1&event=9`);
      const width = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.querySelector("main")?.scrollWidth,
      ]);
      expect(width, tab).toEqual([400, 400]);
    }
  });

  test("nothing moves for those who do not want motion", async () => {
    const moving = async (reducedMotion: "reduce" | "no-preference") => {
      const hash = "#tab=graph&at=20";
      const { page } = await openHtml(browser, htmlOf(sampleReport()), { reducedMotion, hash });
      return page.evaluate(() => document.getAnimations().length);
    };
    expect(await moving("no-preference")).toBeGreaterThan(0);
    expect(await moving("reduce")).toBe(0);
  });

  test("going through 2,000 events takes less than a frame for each", async () => {
    const { page, complaints } = await openHtml(browser, htmlOf(longReport(2000)));
    const work = await watchWork(page);
    for (const tab of PAGES) {
      await open(page, `#tab=${tab}`);
      await work();
      const waits = (await page.evaluate(scrub, 60)).toSorted((left, right) => left - right);
      const meanMs = (await work()) / 60;
      const [median = Infinity, p95 = Infinity] = [waits[30], waits[57]];
      process.stdout.write(
        `scrub ${tab}: work ${meanMs.toFixed(1)} ms, median ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`,
      );
      expect(meanMs, tab).toBeLessThanOrEqual(FRAME_MS);
    }
    expect(complaints).toEqual([]);
  });

  test("a run of 10,000 events takes at most ten times as long to open as one of 1,000, and holds only rows in view", async () => {
    const [short, long] = [htmlOf(longReport(1000)), htmlOf(longReport(10_000))];
    const [shortMs, longMs]: [number[], number[]] = [[], []];
    const isLinear = () => Math.min(...longMs) <= 10 * Math.min(...shortMs);
    // In turns, and the best of some: what else the machine does only adds, to both.
    for (let attempt = 0; attempt < 5 && (attempt === 0 || !isLinear()); attempt += 1) {
      shortMs.push(await openEvents(browser, short));
      longMs.push(await openEvents(browser, long));
    }
    process.stdout.write(
      `open 10,000 events: ${Math.min(...longMs).toFixed(0)} ms, 1,000: ${Math.min(...shortMs).toFixed(0)} ms\n`,
    );
    expect(Math.min(...longMs)).toBeLessThanOrEqual(10 * Math.min(...shortMs));
  });

  test("a long report opens from a file without a complaint or a request, and one that is not whole says so", async () => {
    const html = htmlOf(longReport(10_000));
    expect(html).toContain('{"v":1,"packed":"');
    const whole = await openHtml(browser, html, { hash: "#tab=events" });
    await expectShown(whole.page, "events");
    expect([whole.complaints, whole.requests]).toEqual([[], []]);
    const cut = await openHtml(browser, html.replace(/(?<="packed":")[^"]{1000}/, ""), {
      shows: "text=This report holds no run that its page can read.",
    });
    expect(cut.complaints).toEqual([]);
  });

  test("what the command writes is what the browser shows, from a real run [CLI-1]", async () => {
    const cwd = createProject({
      "one.yaml": `version: "1.0"
name: one
pattern: dag
agents: [{ id: coder, backend: script }]
steps: [{ id: code, agent: coder, prompt: "{{task}}", expects: none }]
`,
      "cassette.yaml": `version: 1
agents:
  coder:
    - do: [{ send: { text: "<script>owned()</script> @coder" } }]
      say: "# Done\\n<img src=x onerror=owned()> and </script><script>owned()</script>"
`,
    });
    const command = ["run", "one.yaml", "hello", "--cassette", "cassette.yaml"];
    const ran = await troupe(cwd, [...command, "--report", "run.html"]);
    expect(ran).toMatchObject({ exitCode: 0, out: expect.stringMatching(/\nreport run\.html\n$/) });
    const html = readFileSync(join(cwd, "run.html"), "utf8");
    const { page, complaints, requests } = await openHtml(browser, html);
    expect(await textOf(page.locator(".top .badge"))).toContain("completed");
    expect(await textOf(page.locator(".prose").first())).toContain("</script><script>owned()");
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  test("the page of a run that failed says why as its program did, and what to do next [USE-1.report]", async () => {
    const cwd = createProject({
      "fails.yaml": `version: "1.0"
name: fails
pattern: pipeline
agents: [{ id: builder, backend: command, command: "seq 1 30; echo 'NO SPACE FOR <b>IT</b>'; exit 2" }]
steps: [{ id: build, agent: builder }, { id: ship, agent: builder }]
`,
    });
    const ran = await troupe(cwd, ["run", "fails.yaml", "go", "--report", "run.html"]);
    expect(ran.exitCode).toBe(1);
    const html = readFileSync(join(cwd, "run.html"), "utf8");
    const { page, complaints } = await openHtml(browser, html);
    const [run] = /run_\w+/.exec(ran.out) ?? [];
    expect(await textOf(page.locator(".verdict"))).toMatch(/failed.*1 failed, 1 blocked/);
    const failure = page.locator(".failure");
    expect(await failure.count()).toBe(1);
    const shown = await textOf(failure);
    const lines = ["1", "2", "… 25 lines …", "28", "29", "30", "NO SPACE FOR <b>IT</b>"];
    expect(shown).toContain(lines.join("\n"));
    expect(shown).toContain("BACKEND_COMMAND_FAILED");
    expect(shown).toContain(`troupe logs ${run} --raw --agent builder`);
    expect(await page.locator(".command").allTextContents()).toEqual([
      `troupe rerun ${run} --failed`,
      `troupe show ${run} --step build`,
    ]);
    expect(complaints).toEqual([]);
  });
});

/** How long a report took until it showed its events; only the rows in view are there. */
async function openEvents(browser: Browser, html: string): Promise<number> {
  const { page } = await openHtml(browser, html, { hash: "#tab=events" });
  expect(await page.locator("tbody tr").count()).toBeLessThan(80);
  const shownMs = await page.evaluate(
    () => performance.getEntriesByName("shown")[0]?.startTime ?? Infinity,
  );
  await page.close();
  return shownMs;
}

async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? "";
}

/** Goes to an address of the page and waits until it is shown. */
async function open(page: Page, hash: string): Promise<void> {
  await page.evaluate((wanted) => {
    location.hash = wanted;
  }, hash);
  const tab = new URLSearchParams(hash.slice(1)).get("tab") ?? "summary";
  await expectShown(page, tab);
}

async function expectShown(page: Page, tab: string): Promise<void> {
  await page.locator(`.top nav a[href*="tab=${tab}"][aria-current="page"]`).waitFor();
}

/** Tells how long the page's own thread has worked since it was last asked, in ms; what other processes do is no part of it. */
async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  let before = 0;
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Infinity;
    const work = (seconds - before) * 1000;
    before = seconds;
    return work;
  };
}

/** A run whose only turn edits one file by a tool and another one by nobody knows what. */
function editingReport(): RunReport {
  const at = { agent: "coder", turn: 1 } as const;
  const input = {
    file_path: "src/a.ts",
    old_string: "const a = 1;\nconst b = '<b>';",
    new_string: "const a = 1;\nconst b = '<i>';",
  };
  const entries: readonly (readonly [number, EventData])[] = [
    ...beginning("Edit it"),
    [1, stepStarted("code", "coder")],
    ...turnStarted({ agent: "coder", turn: 1, step: "code" }).map((event) => [1, event] as const),
    [1, { type: "tool-called", ...at, call: "c1", tool: "Edit", input }],
    [1, { type: "file-changed", ...at, path: "src/a.ts", kind: "edit" }],
    [1, { type: "file-changed", ...at, path: "package.json", kind: "edit" }],
    [1, turnCompleted("coder", 1, { text: "DONE: it" })],
    [1, stepCompleted("code", "coder", "it")],
  ];
  return toReport(toJournal(entries), graphOf([["code", "coder", []]]));
}

/** A run with routes and a loop of two rounds. */
function loopedReport(): RunReport {
  const round = (number: number): readonly (readonly [number, EventData])[] => {
    const path = `rounds[${number}]/change`;
    const place = { path, step: "change" };
    return [
      [1, { ...stepStarted("change", "coder"), ...place, execution: number }],
      [1, { ...stepCompleted("change", "coder", "done"), ...place, execution: number }],
    ];
  };
  const entries = [
    ...beginning("Go on until it is good"),
    [1, stepStarted("rounds", "coder")] as const,
    ...round(1),
    ...round(2),
    [1, stepCompleted("rounds", "coder", "good")] as const,
  ];
  const names = ["rounds", "rounds/change", "judge", "ship", "mend"];
  const route = (from: string, to: string, label: string) =>
    ({ from, to, kind: "route", label }) as const;
  return toReport(toJournal(entries), {
    nodes: names.map((id) => ({ id, kind: "step", label: id })),
    edges: [
      route("rounds", "judge", "next"),
      route("judge", "ship", "then"),
      route("judge", "mend", "else"),
      route("mend", "ship", "next"),
      { from: "rounds", to: "rounds/change", kind: "inside" },
    ],
  });
}

/** A run in which every text that agents choose tries to be more than text. */
function hostileReport(): RunReport {
  const attack =
    '<img src=x onerror=owned()><script>owned()</script> [click](javascript:owned()) [ok](https://example.com/"onmouseover=owned()) a\u202egpj.exe \u001b]0;title\u0007 </script>';
  const step = { note: "n", step: "code", path: "code", execution: 1 };
  const entries: readonly (readonly [number, EventData])[] = [
    ...beginning(attack, attack),
    [1, spawned("coder", "script", attack)],
    [1, stepStarted("code", "coder")],
    [1, posted("m1", "coder", `@coder ${attack}`)],
    [
      1,
      {
        type: "document-changed",
        document: "notes",
        revision: 1,
        by: "coder",
        change: { kind: "write", text: attack },
      },
    ],
    [1, { type: "file-changed", agent: "coder", turn: 1, path: attack, kind: "edit" }],
    [1, { type: "verification-failed", note: "v", step: "code", check: attack, output: attack }],
    [1, { type: "question-asked", id: "qst_1", agent: "coder", message: "m1", text: attack }],
    [
      1,
      {
        ...step,
        type: "step-retrying",
        attempt: 1,
        error: { code: "X", message: attack, hint: attack },
        delayMs: 1,
      },
    ],
    [1, stepCompleted("code", "coder", attack)],
    [1, { ...step, step: attack, path: attack, type: "step-skipped", reason: attack }],
  ];
  return toReport(toJournal(entries), graphOf([["code", "coder", []]]));
}

/** In the page: moves by one event, to and fro, and measures the work of each move up to the new layout, in ms. */
async function scrub(moves: number): Promise<readonly number[]> {
  const slider = document.querySelector<HTMLInputElement>("input[type=range]");
  const count = document.querySelector(".count");
  if (slider === null || count === null) throw new Error("the page has no slider");
  const works: number[] = [];
  let position = 1200;
  for (let move = 0; move < moves; move += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    position += move % 3 === 2 ? -7 : 3;
    const from = performance.now();
    slider.value = String(position);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    // Rendering is a microtask of the event; the measured time ends with the layout that it leads to.
    while (!count.textContent?.startsWith(`${position}/`)) await Promise.resolve();
    document.body.getBoundingClientRect();
    works.push(performance.now() - from);
  }
  return works;
}

/** In the page: texts that are too faint against what is behind them. */
function findFaintTexts(): readonly string[] {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color: string) => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (start: Element) => {
    for (let element: Element | null = start; element !== null; element = element.parentElement) {
      const { backgroundColor } = getComputedStyle(element);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll("#root *")) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "",
    );
    if (!hasText || element.closest("svg, :disabled, select") !== null) continue;
    const { color } = getComputedStyle(element);
    const [text, ground] = [light(color), light(behind(element))];
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)} ${element.outerHTML.slice(0, 120)}`);
  }
  return faint;
}
