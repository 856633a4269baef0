import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** The modules that run in the browser, the style sheet and the icon, beside `src`. */
const FOLDER = new URL("../../../web/", import.meta.url);

export const ASSET_PREFIX = "/assets";

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly brotli: Buffer;
}

/** Everything that pages load, under addresses that name their content. */
export interface Assets {
  /** The address of a file. */
  url(name: string): string;
  find(version: string, name: string): Asset | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".ts": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
};

let loaded: Assets | undefined;

/** The assets of this program, read once for all its networks. */
export function loadAssets(): Assets {
  loaded ??= readAssets();
  return loaded;
}

/**
 * Reads them all. Modules are sent without their types and are named as they are, so that what one imports of another is found
 * under the same address. The address has one hash of all files: a page never runs modules of two versions.
 */
function readAssets(): Assets {
  const files = new Map<string, Asset>();
  for (const name of readdirSync(FOLDER).sort()) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(name, load(name, type));
  }
  const contents = [...files].flatMap(([name, { body }]) => [name, body.toString("base64")]);
  const version = hash("sha256", JSON.stringify(contents), "hex").slice(0, 16);
  return {
    url: (name) => `${ASSET_PREFIX}/${version}/${name}`,
    find: (asked, name) => (asked === version ? files.get(name) : undefined),
  };
}

function load(name: string, type: string): Asset {
  const source = readFileSync(new URL(name, FOLDER), "utf8");
  const body = Buffer.from(extname(name) === ".ts" ? stripTypes(source) : source);
  return { type, body, brotli: brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) };
}

/** Node still warns of the function as an experiment, which is nothing that who runs this can act on. */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
