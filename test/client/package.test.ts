import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { demonstrated } from "../support/demonstrated.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { readSections } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/program.ts";

const run = promisify(execFile);

const CLIENT = join(import.meta.dirname, "../../client");
const TSC = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

/** Sources that a project which uses the package has. */
const USE = `import { chainAt, mainnet, OrielClient, type Transaction } from "oriel-client";
const client = new OrielClient(chainAt(mainnet, "http://127.0.0.1:1").blockExplorers.default.url);
export const read = async (): Promise<bigint> => {
  const [sent]: readonly Transaction[] = (await client.get("/api/v2/transactions")).items;
  return sent?.value ?? 0n;
};
`;

test("the package works in an empty folder, as its README says", async (t) => {
  const folder = temporaryDirectory(t);
  // npm hands its settings on to the npm that its scripts run.
  const pack = ["pack", "--json", "--ignore-scripts=false", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: CLIENT });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as { filename: string; files: { path: string }[] }[];
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  await run("npm", ["install", "--offline", "--no-audit", join(folder, packed!.filename)], { cwd: project });
  const { node, demonstration } = await demonstrated({ seed: "client" });
  await demonstration.buildPast();
  const followed = await FollowedChain.open(t, { chain: node, rpc: true });
  followed.start();
  await followed.settle();
  await followed.app.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(followed.app.server.address() as AddressInfo).port}`;
  const section = readSections(join(CLIENT, "README.md")).get("oriel-client")!;
  const [code = assert.fail()] = section.code("js");
  const here = code.replace("http://127.0.0.1:6770", url);
  writeFileSync(join(project, "readme.js"), here);
  writeFileSync(join(project, "use.ts"), USE);

  const printed = await run(process.execPath, ["readme.js"], { cwd: project });
  const options = ["--strict", "--target", "es2023", "--module", "nodenext", "--lib", "es2023,dom", "--types", ""];
  await run(process.execPath, [TSC, ...options, "--noEmit", "use.ts"], { cwd: project });

  const lines = printed.stdout.trim().split("\n");
  const height = Number(await node.ask("eth_blockNumber"));
  assert.ok(code.trim().split("\n").length <= 11, "the README begins with ten lines of code");
  assert.match(lines.at(-1)!, new RegExp(`^${height} \\d+n \\d+ \\d+ 0x[0-9a-f]{64}$`));
  assert.ok(lines.length > 3 && lines.slice(0, -1).every((line) => /\d+n$/.test(line)), printed.stdout);
  assert.deepEqual(
    packed!.files
      .map(({ path }) => path)
      .filter((path) => !/^(dist\/.*\.(js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(path)),
    [],
  );
  const { dependencies } = JSON.parse(readFileSync(join(CLIENT, "package.json"), "utf8")) as { dependencies?: object };
  assert.equal(dependencies, undefined);
});
