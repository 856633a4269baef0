/** The ERC-20 balances of a chain. */
export interface Balances {
  /** By `token holder`, in lower case. Without those of zero. */
  readonly amounts: ReadonlyMap<string, bigint>;
  readonly transfers: number;
}

interface WireReceipt {
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Adds up transfers in the JSON of receipts: the oracle of all programs. */
export class PlainBalances implements Balances {
  readonly amounts = new Map<string, bigint>();
  transfers = 0;
  readonly #tokens = new Set<string>();

  add(receipts: readonly WireReceipt[]): void {
    for (const { address, topics, data } of receipts.flatMap(({ logs }) => logs)) {
      if (topics[0] !== TRANSFER || topics.length !== 3 || data.length !== 66) continue;
      this.transfers++;
      this.#tokens.add(address);
      this.#change(address, topics[1]!, -BigInt(data));
      this.#change(address, topics[2]!, BigInt(data));
    }
  }

  tokens(): string[] {
    return [...this.#tokens];
  }

  #change(token: string, topic: string, amount: bigint): void {
    const key = balanceKey(token, `0x${topic.slice(26)}`);
    const sum = (this.amounts.get(key) ?? 0n) + amount;
    if (sum === 0n) this.amounts.delete(key);
    else this.amounts.set(key, sum);
  }
}

export const balanceKey = (token: string, holder: string) => `${token} ${holder}`.toLowerCase();

/** What is wrong about a program's balances; nothing if all are right. */
export function compareBalances(expected: Balances, actual: Balances): string[] {
  const wrong: string[] = [];
  for (const [key, amount] of expected.amounts) {
    const given = actual.amounts.get(key);
    if (given !== amount) wrong.push(`${key}: ${given ?? "nothing"} instead of ${amount}`);
  }
  for (const [key, amount] of actual.amounts) {
    if (!expected.amounts.has(key)) wrong.push(`${key}: ${amount} instead of nothing`);
  }
  if (actual.transfers !== expected.transfers) {
    wrong.push(`${actual.transfers} transfers instead of ${expected.transfers}`);
  }
  return wrong;
}

/** Those above zero, which is what lists of holders have. */
export function positive({ amounts, transfers }: Balances): Balances {
  return { amounts: new Map([...amounts].filter(([, amount]) => amount > 0n)), transfers };
}
