import { existsSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";

/** Milliseconds that a page may take to load or to change, on a machine that is busy with something else too. */
const TIMEOUT = 120_000;

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A Chromium, or why there is none: that of ORIEL_CHROMIUM, or on linux on x64 that of a package, elsewhere the system's. */
export async function findChromium(): Promise<{ readonly path: string } | string> {
  const chosen = process.env.ORIEL_CHROMIUM;
  if (chosen !== undefined) return { path: chosen };
  if (process.platform === "linux" && process.arch === "x64") {
    const { default: carried } = await import("@sparticuz/chromium");
    return { path: await carried.executablePath() };
  }
  const path = INSTALLED.find(existsSync);
  return path === undefined ? "there is no Chromium on this machine" : { path };
}

export async function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

/** A page that remembers what went wrong in it: errors of scripts, what the policy refused, requests to elsewhere. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
  close(): Promise<void>;
}

export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) faults.push(`request: ${url}`);
  });
  return { page, faults, close: () => context.close() };
}

/** Parallel tabs, each reused for one path after another. */
export interface VisitOptions extends BrowserContextOptions {
  readonly tabs?: number;
}

/** Opens each path, several at a time, and passes the page to `visit`. */
export async function visitAll(
  browser: Browser,
  origin: string,
  paths: readonly string[],
  visit: (visit: { readonly path: string; readonly at: number; readonly page: Page }) => Promise<void>,
  { tabs = 3, ...options }: VisitOptions = {},
): Promise<string[]> {
  const problems: string[] = [];
  const waiting = [...paths.entries()].reverse();
  const useTab = async () => {
    const { page, faults, close } = await openPage(browser, origin, options);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [at, path] = next;
      await visit({ path, at, page });
      problems.push(...faults.splice(0).map((fault) => `${path}: ${fault}`));
    }
    await close();
  };
  await Promise.all(Array.from({ length: tabs }, useTab));
  return problems;
}
