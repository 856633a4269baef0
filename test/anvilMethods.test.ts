import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PUBLIC_METHODS, TRUSTED_METHODS } from "../src/node/rpc/registry.ts";
import { readSections } from "./support/markdown.ts";
import type { RealNodeKind } from "./support/realNode.ts";
import { findAnvil, RealNode } from "./support/realNode.ts";

const OURS: ReadonlySet<string> = new Set([...Object.keys(PUBLIC_METHODS), ...Object.keys(TRUSTED_METHODS)]);
const rows = readSections(join(import.meta.dirname, "../docs/json-rpc.md")).get("What anvil has besides")!.tables[0]!;
const missing = rows.flatMap((row) => [...row.Methods!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));

const NAMESPACES = "eth|anvil|evm|hardhat|debug|trace|txpool|ots|erigon|net|web3|personal|wallet|tenderly";
const METHOD_NOT_FOUND = -32_601;

/** Names in the program that may be of methods; those that stand next to each other are taken apart. */
function candidatesIn(file: string): string[] {
  const text = readFileSync(file).toString("latin1");
  const runs = text.match(new RegExp(`(?:(?:${NAMESPACES})_[a-zA-Z0-9_]{2,60})+`, "g")) ?? [];
  return [...new Set(runs.flatMap((run) => run.split(new RegExp(`(?=(?:${NAMESPACES})_)`))))];
}

/**
 * Which of these the node has. No method takes an object, so nothing happens. They come one after another, since methods without
 * parameters do run, and those of one batch run beside each other and can wait for each other for ever.
 */
async function knownTo(node: RealNode, names: readonly string[]): Promise<string[]> {
  const known: string[] = [];
  for (const method of names) {
    const body = JSON.stringify({ jsonrpc: "2.0", method, id: 1, params: { none: [] } });
    const response = await fetch(node.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { error } = (await response.json()) as { error?: { code: number } };
    if (error?.code !== METHOD_NOT_FOUND) known.push(method);
  }
  return known;
}

test("what is documented as missing is missing, once, and with a reason", () => {
  assert.deepEqual(
    missing.filter((name) => OURS.has(name)),
    [],
  );
  assert.equal(new Set(missing).size, missing.length);
  assert.ok(rows.every((row) => row["Why they are missing"]!.length > 10));
});

const anvil = findAnvil();

test("every method of anvil exists here or is documented as missing, and nothing else is", {
  skip: typeof anvil === "string" ? anvil : false,
}, async (t) => {
  const kind = anvil as RealNodeKind;
  const node = await RealNode.start(t, kind);

  const found = await knownTo(node, candidatesIn(kind.command));

  assert.ok(found.length > 100, `${found.length} methods were found in the program`);
  assert.deepEqual(
    found.filter((name) => !OURS.has(name) && !missing.includes(name)),
    [],
  );
  assert.deepEqual((await knownTo(node, missing)).sort(), [...missing].sort());
});
