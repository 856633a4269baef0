import { toHex } from "../chain/encoding/hex.ts";
import { nextFees } from "../node/block/plan.ts";
import type { DevelopmentContext } from "../node/context.ts";
import type { SubmittedTransaction } from "../node/pool/decodeRawTransaction.ts";
import type { Intent } from "./intent.ts";
import { signIntent } from "./intent.ts";
import type { Random } from "./random.ts";
import type { View } from "./view.ts";

const GWEI = 1_000_000_000;

/** Signs the next block's transactions with consecutive nonces per account. */
export async function signAll(
  { chain }: Pick<DevelopmentContext, "chain">,
  view: View,
  intents: readonly Intent[],
  random: Random,
): Promise<SubmittedTransaction[]> {
  const { header } = chain.head;
  const rules = chain.rules.at({ number: header.number + 1, timestamp: header.timestamp });
  const { baseFeePerGas: baseFee } = nextFees(header, chain.rules, rules);
  const nonces = new Map<string, number>();
  const signed: SubmittedTransaction[] = [];
  for (const intent of intents) {
    const { address } = intent.from;
    const nonce = nonces.get(address) ?? Number((await view.account(address)).nonce);
    // A self-delegation also increments the nonce (EIP-7702).
    nonces.set(address, nonce + (intent.delegateTo === undefined ? 1 : 2));
    const tip = BigInt(random.between(GWEI, 3 * GWEI));
    signed.push(signIntent(intent, { rules, nonce, baseFee, tip }));
  }
  return signed;
}

/** Sends through the pool. Throws the first refusal. */
export async function sendAll(
  { pool, miner }: DevelopmentContext,
  signed: readonly SubmittedTransaction[],
): Promise<void> {
  const sent: SubmittedTransaction[] = [];
  try {
    for (const tx of signed) {
      await pool.add(tx);
      sent.push(tx);
    }
  } finally {
    for (const { transaction } of sent) {
      if (pool.get(transaction.hash) !== undefined) await miner.onTransaction(transaction.hash);
    }
  }
}

/** Whether the pool has transactions from these addresses. */
export function hasPending({ pool }: DevelopmentContext, addresses: ReadonlySet<string>): boolean {
  return pool.all().some(({ transaction }) => addresses.has(toHex(transaction.from)));
}
