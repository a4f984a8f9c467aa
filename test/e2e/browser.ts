import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Chromium or Chrome on PATH; undefined without one. */
export function findChromium(path: string = process.env["PATH"] ?? ""): string | undefined {
  const places = path.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find(isExecutable);
}

/** A page of a browser with all that it complained about and asked for. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, and uncaught errors. */
  readonly complaints: readonly string[];
  /** Addresses that were asked for, without the page's own. */
  readonly requests: readonly string[];
}

/** Starts a browser without a window. */
export function startBrowser(executablePath: string): Promise<Browser> {
  // Containers run as root, where Chromium's own sandbox cannot work.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** How a page is opened. */
interface OpenOptions extends BrowserContextOptions {
  readonly hash?: string;
  /** What is waited for. Defaults to a page of a run. */
  readonly shows?: string;
}

/** Opens a text as a file of its own; page and file go with the test. */
export async function openHtml(
  browser: Browser,
  html: string,
  options: OpenOptions = {},
): Promise<WatchedPage> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-page-"));
  const file = join(folder, "report.html");
  writeFileSync(file, html);
  const { hash = "", shows = "main .page", ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: "UTC",
    ...contextOptions,
  });
  onTestFinished(async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  const url = pathToFileURL(file).href;
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url) requests.push(request.url());
  });
  await page.goto(`${url}${hash}`);
  await page.locator(shows).waitFor();
  return { page, complaints, requests };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
