import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { PrivateKeyAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import type { Json } from "./support/api.ts";
import { CHAIN_ID } from "./support/developmentNode.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { TracedOptions } from "./support/tracedChain.ts";
import { TracedChain } from "./support/tracedChain.ts";

const SEED = firstSeed();
const TARGET: Hex = `0x${"cd".repeat(20)}`;

type Kind = "plain" | "any chain" | "other chain" | "other nonce" | "bad signature" | "greatest nonce";

const KINDS: readonly Kind[] = ["plain", "any chain", "other chain", "other nonce", "bad signature", "greatest nonce"];

/** Accounts that sign delegations and send, and what became of each by the rules, applied to plain nonces. */
class Signers {
  readonly traced: TracedChain;
  readonly accounts: readonly PrivateKeyAccount[];
  readonly nonces = new Map<Hex, number>();
  readonly expected = new Map<Hex, string[]>();
  /** Accounts whose nonces the pending block changes: the pool would hold back their transactions. */
  readonly #changed = new Set<Hex>();
  readonly contract: PrivateKeyAccount;

  private constructor(traced: TracedChain) {
    this.traced = traced;
    const keys = [1, 2, 3, 4, 5].map((key): Hex => `0x${String(key).repeat(64)}`);
    this.accounts = keys.map((key) => privateKeyToAccount(key));
    this.contract = this.accounts[0]!;
    for (const { address } of this.accounts) this.nonces.set(address, 0);
  }

  static async open(t: TestContext, options: TracedOptions = {}): Promise<Signers> {
    const signers = new Signers(await TracedChain.open(t, options));
    const { node } = signers.traced;
    for (const { address } of signers.accounts.slice(1))
      await node.ask("anvil_setBalance", address, "0xde0b6b3a7640000");
    await node.ask("anvil_setCode", signers.contract.address, "0x00");
    await node.ask("evm_setAutomine", false);
    return signers;
  }

  /** Sends transactions with random authorizations, which are in one block. */
  async mine(random: Random): Promise<void> {
    for (let left = random.between(1, 3); left > 0; left--) await this.#send(random);
    await this.traced.node.ask("evm_mine");
    this.#changed.clear();
    await this.traced.settle();
  }

  async #send(random: Random): Promise<void> {
    const free = this.accounts.slice(1).filter(({ address }) => !this.#changed.has(address));
    if (free.length === 0) return;
    const sender = random.pick(free);
    this.#changed.add(sender.address);
    const nonce = this.nonces.get(sender.address)!;
    this.nonces.set(sender.address, nonce + 1);
    const authorizationList: object[] = [];
    const outcomes: string[] = [];
    for (let left = random.between(1, 5); left > 0; left--) {
      const authority = random.pick(this.accounts);
      const kind = random.pick(KINDS);
      authorizationList.push(await this.#authorize(authority, kind));
      outcomes.push(this.#apply(authority, kind));
    }
    const fields = { type: "eip7702", authorizationList, nonce, chainId: CHAIN_ID, gas: 400_000n, to: TARGET };
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const raw = await sender.signTransaction({ ...fields, ...fees } as never);
    this.expected.set(await this.traced.node.ask<Hex>("eth_sendRawTransaction", raw), outcomes);
  }

  async #authorize(authority: PrivateKeyAccount, kind: Kind): Promise<object> {
    const current = this.nonces.get(authority.address)!;
    const nonce = kind === "other nonce" ? current + 3 : kind === "greatest nonce" ? 2n ** 64n - 1n : current;
    const chainId = kind === "other chain" ? 1 : kind === "any chain" ? 0 : CHAIN_ID;
    const signed = await authority.signAuthorization({ contractAddress: TARGET, chainId, nonce: nonce as number });
    return kind === "bad signature" ? { ...signed, s: `0x${"ff".repeat(32)}` } : signed;
  }

  #apply(authority: PrivateKeyAccount, kind: Kind): string {
    if (kind === "other chain") return "invalid_chain_id";
    if (kind === "greatest nonce") return "invalid_nonce";
    if (kind === "bad signature") return "invalid_signature";
    if (authority === this.contract) return "invalid_code";
    if (kind === "other nonce") return "invalid_nonce";
    this.nonces.set(authority.address, this.nonces.get(authority.address)! + 1);
    this.#changed.add(authority.address);
    return "ok";
  }

  /** The nonces come from the node. */
  async expectNonces(): Promise<void> {
    for (const { address } of this.accounts.slice(1)) {
      const nonce = Number(await this.traced.node.ask("eth_getTransactionCount", address, "latest"));
      assert.equal(nonce, this.nonces.get(address), address);
    }
  }

  async statuses(hash: Hex): Promise<unknown[]> {
    const { status, body } = await this.traced.get(`/api/v2/transactions/${hash}`);
    assert.equal(status, 200);
    return (body.authorization_list as Json[]).map((entry) => entry.status);
  }
}

test(`authorizations say whether they took effect, as the rules have it (seed ${SEED})`, async (t) => {
  const signers = await Signers.open(t);
  const random = new Random(SEED);
  for (let block = 0; block < 12; block++) await signers.mine(random);

  await signers.expectNonces();
  const seen = new Set<string>();
  for (const [hash, expected] of signers.expected) {
    assert.deepEqual(await signers.statuses(hash), expected, hash);
    for (const status of expected) seen.add(status);
  }
  assert.equal(seen.size, 5, [...seen].join());
});

test(`a node without traces is asked for nonces, and unknown results are null (seed ${SEED})`, async (t) => {
  const refuse = (body: string) => body.includes("prestateTracer");
  const refusal = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no such method" } });
  const around: TracedOptions["around"] = (handle) => async (body, isTrusted) =>
    refuse(body)
      ? refusal.replace('"id":1', `"id":${(JSON.parse(body) as { id: number }).id}`)
      : handle(body, isTrusted);
  const signers = await Signers.open(t, { around });
  const random = new Random(SEED);
  for (let block = 0; block < 12; block++) await signers.mine(random);

  let known = 0;
  for (const [hash, expected] of signers.expected) {
    for (const [at, status] of (await signers.statuses(hash)).entries()) {
      const right = expected[at];
      assert.ok(status === right || status === null, `${hash} ${at}: ${status}, not ${right}`);
      if (status === "ok") known++;
    }
  }
  assert.ok(known > 5, `${known} took effect`);
});

test("an authorization in a list or in the pool says no more than what it shows itself", async (t) => {
  const signers = await Signers.open(t);
  const random = new Random(SEED);
  await signers.mine(random);
  const [[hash, expected]] = [...signers.expected] as [[Hex, string[]]];

  const { body } = await signers.traced.get("/api/v2/transactions");

  const row = (body.items as Json[]).find((item) => item.hash === hash)!;
  const own = new Set(["invalid_chain_id"]);
  for (const [at, entry] of (row.authorization_list as Json[]).entries()) {
    const right = expected[at]!;
    assert.ok(entry.status === null || entry.status === right, `${entry.status}, not ${right}`);
    if (own.has(right)) assert.equal(entry.status, right);
  }
});
