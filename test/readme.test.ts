import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { indexedAt, urlsOf } from "./support/networks.ts";
import { get, LAUNCHER, runProgram, temporaryDirectory } from "./support/program.ts";
import { until } from "./support/waiting.ts";

type Json = Record<string, unknown>;

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
/** Tutorials are run as a whole. */
const DOCUMENTS = ["README.md", ...globSync("docs/*.md", { cwd: ROOT })];

/** A curl as a document writes it, and what it answers if that follows. */
interface Curl {
  readonly document: string;
  readonly command: string;
  readonly shown: Json;
}

function curlsOf(document: string): Curl[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  const found = text.matchAll(/^```sh\n(curl [\s\S]*?)^```(?:\n\n```json\n([\s\S]*?)^```)?/gm);
  return [...found].map(([, command, json]) => ({ document, command: command!, shown: JSON.parse(json ?? "{}") }));
}

/** Shown values must be in the response; shortened ones must be a prefix, and numbers may have grown. */
function expectShown(shown: unknown, answer: unknown, at: string): void {
  if (typeof shown === "string" && shown.endsWith("…")) assert.ok(String(answer).startsWith(shown.slice(0, -1)), at);
  else if (typeof shown === "string" && /^\d+$/.test(shown)) assert.match(String(answer), /^[1-9]\d*$/, at);
  else if (typeof shown !== "object" || shown === null) assert.equal(answer, shown, at);
  else {
    assert.equal(typeof answer, "object", at);
    for (const [key, value] of Object.entries(shown))
      expectShown(value, (answer as Json | null)?.[key], `${at}.${key}`);
  }
}

test("the demonstration is there as the README says, and each curl of the documents gives what it shows", async (t) => {
  const cwd = temporaryDirectory(t);
  const args = ["start", "--network", "mainnet", "--port", "0"];
  const program = runProgram(t, args, { script: LAUNCHER, cwd, environment: { ORIEL_DEMO: "true" } });
  const { mainnet } = await urlsOf(program, 1);
  await until("the past is there", () => /the demonstration has its past: (\d+) blocks/.test(program.stdout), 120);
  const past = Number(/has its past: (\d+) blocks/.exec(program.stdout)![1]);
  await until("it is indexed", async () => ((await indexedAt(mainnet!)) ?? 0) >= past, 120);
  const symbol = async () => ((await get(`${mainnet}/api/v2/tokens`)).body.items as Json[])[0]?.symbol;
  await until("its tokens have names", async () => typeof (await symbol()) === "string", 120);
  const [curls, incomplete] = [[] as Curl[], [] as Curl[]];
  for (const curl of DOCUMENTS.flatMap(curlsOf)) (curl.command.includes("…") ? incomplete : curls).push(curl);

  for (const { document, command, shown } of curls) {
    assert.ok(command.includes("http://127.0.0.1:6770/"), command);
    const here = command.replace("http://127.0.0.1:6770", mainnet!);
    const { stdout } = await run("bash", ["-ec", here.replace("curl ", "curl --silent --show-error --fail ")], { cwd });

    const answer = JSON.parse(stdout) as Json;
    assert.ok(answer.error === undefined && answer.status !== "0", `${document}: ${stdout.slice(0, 200)}`);
    expectShown(shown, answer, document);
  }
  assert.ok(curls.length >= 12, `${curls.length}`);
  assert.deepEqual(
    incomplete.map(({ document }) => document),
    ["docs/verification.md"],
  );
  assert.deepEqual((await program.stop()).stderr, "");
});
