import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeTemporaryDirectory } from "./program.ts";

export interface NpmRegistry {
  /** Requested paths, in order. */
  readonly asked: readonly string[];
  /** Makes the package differ from its entry. */
  change(): void;
}

/** A registry with one version of solc, whose compiler is `soljson`. All npm processes of the test ask it. */
export async function startNpmRegistry(t: TestContext, version: string, soljson: string): Promise<NpmRegistry> {
  const { directory, remove } = makeTemporaryDirectory();
  let tarball = pack(join(directory, "solc"), version, soljson);
  const integrity = `sha512-${hash("sha512", tarball, "base64")}`;
  const asked: string[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    asked.push(url);
    if (url === "/solc.tgz") return response.end(tarball);
    if (url !== "/solc") return response.writeHead(404).end("{}");
    const about = { name: "solc", version, dist: { integrity, tarball: `http://${headers.host}/solc.tgz` } };
    return response.end(
      JSON.stringify({ name: "solc", "dist-tags": { latest: version }, versions: { [version]: about } }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = { registry: `http://127.0.0.1:${port}/`, cache: join(directory, "cache"), fetch_retries: "0" };
  for (const [name, value] of Object.entries(settings)) process.env[`npm_config_${name}`] = value;
  t.after(() => {
    for (const name of Object.keys(settings)) delete process.env[`npm_config_${name}`];
    server.close();
    remove();
  });
  return {
    asked,
    change: () => {
      tarball = pack(join(directory, "changed"), version, `${soljson}// changed`);
    },
  };
}

function pack(folder: string, version: string, soljson: string): Buffer {
  mkdirSync(folder);
  writeFileSync(join(folder, "soljson.js"), soljson);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "solc", version }));
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  return readFileSync(join(folder, `solc-${version}.tgz`));
}
