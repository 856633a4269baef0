import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { defined } from "../../std/values.ts";
import { stripTypes } from "./stripTypes.ts";

const FOLDER = new URL("web/", pathToFileURL(defined(findPackageJSON(import.meta.url))));

/** Loaded by pages with charts; its notice is its first lines. */
const CHARTS = "lightweight-charts.js";

function readCharts(): string {
  const folder = pathToFileURL(defined(findPackageJSON("lightweight-charts", import.meta.url)));
  return readFileSync(new URL("dist/lightweight-charts.standalone.production.mjs", folder), "utf8");
}

export const ASSET_PREFIX = "/assets";

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly brotli: Buffer;
}

/** Static files under content-addressed URLs. */
export interface Assets {
  url(name: string): string;
  /** Built on first request. */
  find(version: string, name: string): Promise<Asset | undefined>;
}

const MODULE = ".ts";

const TYPES: Readonly<Record<string, string>> = {
  [MODULE]: "text/javascript; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
};

let loaded: Assets | undefined;

/** Shared by all networks of the process. */
export function loadAssets(): Assets {
  loaded ??= readAssets();
  return loaded;
}

/**
 * Modules are served without types. One hash over all files is part of the URL, so a page never mixes modules of two
 * versions and relative imports resolve.
 */
function readAssets(): Assets {
  const names = readdirSync(FOLDER).filter((name) => extname(name) in TYPES);
  const own = names.sort().map((name): [string, string] => [name, readFileSync(new URL(name, FOLDER), "utf8")]);
  const sources = new Map([...own, [CHARTS, readCharts()]]);
  const version = hash("sha256", JSON.stringify([...sources]), "hex").slice(0, 16);
  const modules = lazily(() => stripAll(sources));
  const assets = new Map(
    [...sources].map(([name, source]) => {
      const text = async () => (extname(name) === MODULE ? (await modules()).get(name)! : source);
      return [name, lazily(async () => encode(name, await text()))];
    }),
  );
  return {
    url: (name) => `${ASSET_PREFIX}/${version}/${name}`,
    find: async (asked, name) => (asked === version ? assets.get(name)?.() : undefined),
  };
}

async function stripAll(sources: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const modules = [...sources].filter(([name]) => extname(name) === MODULE);
  const stripped = await stripTypes(modules.map(([, source]) => source));
  return new Map(modules.map(([name], at) => [name, stripped[at]!]));
}

const compress = promisify(brotliCompress);

async function encode(name: string, text: string): Promise<Asset> {
  const body = Buffer.from(text);
  const brotli = await compress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return { type: TYPES[extname(name)]!, body, brotli };
}

/** Memoizes; retries after a failure. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
