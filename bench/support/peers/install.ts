import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../../peers/", import.meta.url));
const INSTALL_TIME = 900_000;

/** Copies the files of a peer to its folder, and installs its packages there unless the same ones are there already. */
export async function installPeer(name: string, folder: string): Promise<string> {
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  cpSync(join(SOURCES, name), target, { recursive: true });
  const manifest = readFileSync(join(target, "package.json"), "utf8");
  const done = join(target, "installed.json");
  if (existsSync(done) && readFileSync(done, "utf8") === manifest) return target;
  console.log(`installing ${name}…`);
  await runTool("npm", ["install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"], target);
  writeFileSync(done, manifest);
  return target;
}

/** The exact version of a package that a peer is installed with. */
export function peerVersion(name: string, dependency: string): string {
  const manifest = JSON.parse(readFileSync(join(SOURCES, name, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return manifest.dependencies[dependency]!;
}

/** Fails with the end of what the tool wrote. */
export async function runTool(
  tool: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const child = spawn(tool, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: INSTALL_TIME });
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      written = (written + chunk.toString()).slice(-2000);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${tool} ${args[0]} ended with ${code}: ${written}`);
}
