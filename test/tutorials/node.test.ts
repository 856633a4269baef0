import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { emptyStore, freePort, postgresUrl } from "../support/postgresServer.ts";
import { temporaryDirectory } from "../support/program.ts";
import { SimulatedChain } from "../support/simulatedChain.ts";
import { startSimulatedNode } from "../support/simulatedNode.ts";
import { runTutorial } from "../support/tutorial.ts";

/** A node in the place of geth; answers what stands for the addresses of the tutorials. */
async function startNode(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const chain = new SimulatedChain({ seed: 23, traffic: { transactions: [0, 3] } });
  chain.mine(3);
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  return { "127.0.0.1:8545": new URL(node.url).host, 6770: String(await freePort()) };
}

/** Programs that are no packages, what changes the system, and the installation that the tutorial for hardhat runs. */
const SHOWN = /^(geth|sudo|npm) /;

test("an explorer behind a node is there as the tutorial says", async (t) => {
  const replace = await startNode(t);

  assert.equal(await runTutorial(t, "geth", { replace, shown: SHOWN }), 4);
});

test("a deployment is configured, watched and backed up as the tutorial says", async (t) => {
  const replace = await startNode(t);
  const home = temporaryDirectory(t);
  mkdirSync(join(home, "data"));
  const text = readFileSync("docs/tutorials/production.md", "utf8");

  const ran = await runTutorial(t, "production", {
    replace: { ...replace, "/var/lib/oriel": home, "\n/opt/oriel/bin/oriel": "\nnpx oriel" },
    shown: SHOWN,
  });

  assert.equal(ran, 6);
  const [, tried] = /^(\/opt\/oriel\/bin\/oriel start --config )oriel\.json$/m.exec(text)!;
  assert.ok(text.includes(`ExecStart=${tried}/etc/oriel/oriel.json\n`), "the service does what was tried");
});

test("an index moves to PostgreSQL and back as the tutorial says, and is served by two processes", async (t) => {
  const replace = await startNode(t);
  const database = emptyStore(await postgresUrl());

  const ran = await runTutorial(t, "postgresql", {
    replace: {
      ...replace,
      "postgres://oriel:PASSWORD@127.0.0.1:5432/explorer": `'${database}'`,
      6780: String(await freePort()),
    },
    shown: SHOWN,
    before: { "oriel export": (stop) => stop(), "oriel import": (stop) => stop() },
  });

  assert.equal(ran, 7);
});
