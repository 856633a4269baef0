import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSections } from "./support/markdown.ts";
import { indexedAt, urlsOf } from "./support/networks.ts";
import { get, LAUNCHER, runProgram, temporaryDirectory } from "./support/program.ts";
import { until } from "./support/waiting.ts";

type Json = Record<string, unknown>;

const README = join(dirname(fileURLToPath(import.meta.url)), "../README.md");

/** A curl as the README writes it: an address, and for JSON-RPC a body. */
interface Curl {
  readonly url: URL;
  readonly body: string | undefined;
  readonly shown: Json;
}

function curls(): Curl[] {
  const section = readSections(README).get("Oriel")!;
  const commands = section.code("sh").filter((command) => command.startsWith("curl "));
  const shown = section.code("json").map((json) => JSON.parse(json) as Json);
  assert.equal(commands.length, shown.length, "each curl is followed by what it answers");
  return commands.map((command, index) => ({
    url: new URL(/(http:\S+)\s*$/.exec(command)![1]!),
    body: /-d '([^']+)'/.exec(command)?.[1],
    shown: shown[index]!,
  }));
}

/** Shown values must be in the response; shortened ones must be a prefix, and numbers may have grown. */
function expectShown(shown: Json, answer: Json): void {
  for (const [field, value] of Object.entries(shown)) {
    const found = answer[field];
    assert.equal(typeof found, typeof value, field);
    if (typeof value === "string" && value.endsWith("…"))
      assert.ok(String(found).startsWith(value.slice(0, -1)), field);
    else if (typeof value === "string" && /^\d+$/.test(value)) assert.match(String(found), /^[1-9]\d*$/, field);
    else assert.deepEqual(found, value, field);
  }
}

test("the demonstration is there as the README says, and each of its curls gives what it shows", async (t) => {
  const args = ["start", "--network", "mainnet", "--port", "0", "--data", temporaryDirectory(t)];
  const program = runProgram(t, args, { script: LAUNCHER, environment: { ORIEL_DEMO: "true" } });
  const { mainnet } = await urlsOf(program, 1);
  await until("the past is there", () => /the demonstration has its past: (\d+) blocks/.test(program.stdout), 120);
  const past = Number(/has its past: (\d+) blocks/.exec(program.stdout)![1]);
  await until("it is indexed", async () => ((await indexedAt(mainnet!)) ?? 0) >= past, 120);
  const symbol = async () => ((await get(`${mainnet}/api/v2/tokens`)).body.items as Json[])[0]?.symbol;
  await until("its tokens have names", async () => typeof (await symbol()) === "string", 120);

  for (const { url, body, shown } of curls()) {
    assert.equal(url.port, "6770");
    const headers = { "content-type": "application/json", connection: "close" };
    const request = body === undefined ? { headers } : { method: "POST", headers, body };
    const response = await fetch(`${mainnet}${url.pathname}`, request);

    assert.equal(response.status, 200);
    expectShown(shown, (await response.json()) as Json);
  }
  assert.deepEqual((await program.stop()).stderr, "");
});
