import assert from "node:assert/strict";
import { test } from "node:test";
import type { FundedAccount } from "../api/settings.ts";
import { readInvocation } from "../invocation.ts";
import type { Access } from "./appSettings.ts";
import { banner } from "./banner.ts";
import type { Serving } from "./network.ts";

const { settings } = readInvocation(["start"], {});

const account = (index: number, isPublic = true): FundedAccount => ({
  address: `0x${String(index).padStart(40, "0")}`,
  ...(isPublic && { privateKey: `0x${String(index).padStart(64, "0")}` }),
});

function serving(name: string | undefined, count?: number, isPublic = true): Serving {
  const accounts = Array.from({ length: count ?? 0 }, (_, index) => account(index, isPublic));
  const [node, url] = ["http://127.0.0.1:8545", "http://127.0.0.1:6770"];
  const network = { name, chainId: 677, node, url, data: "data/x", store: undefined, integrity: "auto" } as const;
  const access = { devMethods: "loopback", reason: undefined } as const;
  return count === undefined ? network : { ...network, accounts, access };
}

test("a node of --rpc is one line", () => {
  const line = "chain 677 from http://127.0.0.1:8545, data in data/x, serving http://127.0.0.1:6770";

  assert.match(banner([serving(undefined)], settings), new RegExp(`^oriel \\S+: ${line}$`));
});

test("a start names where the index is", () => {
  const elsewhere = (network: Serving): Serving => ({ ...network, store: "postgres://db/oriel" });

  assert.match(banner([elsewhere(serving(undefined))], settings), /8545, index in postgres:\/\/db\/oriel, serving/);
  const chain = banner([elsewhere(serving("a", 1)), elsewhere(serving("b"))], settings);
  assert.match(chain, /\/rpc +index in postgres:\/\/db\/oriel, chain in data\/x$/m);
});

test("networks with the same accounts show them once, others have their own", () => {
  const text = banner([serving("a", 2), serving("b", 2), serving("c", 1), serving("d", 0), serving("e")], settings);

  assert.equal(text.match(/Accounts with coins/g)!.length, 2);
  assert.match(
    text,
    /Accounts with coins on a and b\. Everybody knows their keys: for development only\.\n\n {2}0 {2}0x0/,
  );
  assert.match(text, /Accounts with coins on c\. /);
  assert.match(text, /^The API of each is described at its \/docs\/api: http:\/\/127\.0\.0\.1:6770\/docs\/api$/m);
  assert.match(text, /^ {2}a +chain 677 +http:\S+ +JSON-RPC at http:\S+\/rpc +data in data\/x$/m);
  assert.match(text, /^ {2}e +chain 677 +http:\S+ +from http:\/\/127\.0\.0\.1:8545 +data in data\/x$/m);
});

test("of many accounts the first are shown, and keys only of well-known mnemonics", () => {
  const text = banner([serving("a", 25, false)], settings);

  assert.equal(text.match(/0x[0-9a-fA-F]{40}\b/g)!.length, 10);
  assert.match(text, /^and 15 more$/m);
  assert.doesNotMatch(text, /0x[0-9a-f]{64}|keys/);
});

test("a start says of which networks failed checks refuse nothing", () => {
  const [plain, a, b, c] = [undefined, "a", "b", "c"].map((name) => serving(name));
  const observing = (network: Serving | undefined): Serving => ({ ...network!, integrity: "observe" });
  const line = (names: string) =>
    new RegExp(`^Blocks${names} that fail a check are indexed, .* --integrity observe\\.$`, "m");

  assert.match(banner([observing(plain)], settings), line(""));
  assert.match(banner([observing(a), b!, observing(c)], settings), line(" of a and c"));
  assert.doesNotMatch(banner([a!, b!], settings), /integrity/);
});

test("a start says who may use which methods of embedded chains, and why", () => {
  const [a, b, c, upstream] = [serving("a", 1), serving("b", 1), serving("c", 1), serving("d")];
  const saying = (network: Serving, devMethods: Access["devMethods"], reason: Access["reason"]): Serving => ({
    ...network,
    access: { devMethods, reason },
  });
  const lines = (...networks: Serving[]) =>
    banner(networks, settings)
      .split("\n")
      .filter((line) => line.startsWith("Development, "));
  const methods = "Development, debug_ and txpool_ methods";

  assert.deepEqual(lines(a, b, upstream), [`${methods}: for this user's programs on this machine (the default).`]);
  assert.deepEqual(lines(saying(a, "loopback", "--dev-methods")), [
    `${methods}: for this user's programs on this machine (--dev-methods loopback).`,
  ]);
  assert.deepEqual(
    lines(saying(a, "none", "--trust-proxy"), saying(b, "none", "--dev-methods"), saying(c, "all", "--dev-methods")),
    [
      `${methods} of a: off (--trust-proxy).`,
      `${methods} of b: off (--dev-methods none).`,
      `${methods} of c: for everyone who reaches the port (--dev-methods all).`,
    ],
  );
  assert.deepEqual(lines(upstream), []);
  assert.deepEqual(lines(saying(a, "none", "--public")), [`${methods}: off (--public).`]);
});

test("a start warns of proxies while local programs may use development methods", () => {
  const closed: Serving = { ...serving("b", 1), access: { devMethods: "none", reason: "--public" } };

  assert.match(banner([serving("a", 1), closed], settings), /^.*start it with --public\.$/m);
  assert.doesNotMatch(banner([closed, serving("c")], settings), /--public\.$/m);
});
