import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findChromium, launchChromium, openPage } from "./browser.ts";
import { findSubjects, pathsOf } from "./webPaths.ts";
import { startSite } from "./webSite.ts";

/** `npm run screenshots -- DIR`: a picture of every page, wide, medium and narrow, light and dark. */
const [directory = "screenshots"] = process.argv.slice(2);
const SIZES = {
  wide: { width: 1280, height: 900 },
  medium: { width: 820, height: 1180 },
  narrow: { width: 390, height: 844 },
} as const;

const chromium = await findChromium();
if (typeof chromium === "string") throw new Error(chromium);
mkdirSync(directory, { recursive: true });
const cleanings: (() => unknown)[] = [];
const site = await startSite((clean) => cleanings.push(clean));
const browser = await launchChromium(chromium.path);
for (const [at, path] of pathsOf(await findSubjects(site)).entries()) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, close } = await openPage(browser, site.url, { viewport, colorScheme });
      await page.goto(path);
      const file = `${String(at + 1).padStart(3, "0")}-${path.slice(1).replace(/[^a-z0-9]+/gi, "-") || "home"}-${name}-${colorScheme}.png`;
      await page.screenshot({ path: join(directory, file.replace(/0x[0-9a-f]{20,}/gi, "x")) });
      await close();
    }
  }
}
await browser.close();
for (const clean of cleanings.reverse()) await clean();
console.log(`pictures are in ${directory}`);
