import type { PrivateKeyAccount, TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { TEST_MNEMONIC } from "../../src/node/accounts/accounts.ts";
import type { NodeOptions } from "../../src/node/node.ts";
import { Node } from "../../src/node/node.ts";

export const CHAIN_ID = 968;

/** An error as it was answered. */
export class Refused extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export abstract class SendingNode {
  readonly account: PrivateKeyAccount;
  readonly other: PrivateKeyAccount;
  #nonce = 0;

  constructor(keys: readonly Hex[]) {
    const [first, second] = keys;
    this.account = privateKeyToAccount(first!);
    this.other = privateKeyToAccount(second!);
  }

  abstract ask<T = unknown>(method: string, ...params: unknown[]): Promise<T>;

  /** Signs a transaction and sends it, with plain defaults; answers its hash. */
  async send(fields: Readonly<Record<string, unknown>> = {}): Promise<Hex> {
    const nonce = Number(fields.nonce ?? this.#nonce);
    const hash = await this.ask<Hex>("eth_sendRawTransaction", await this.sign({ ...fields, nonce }));
    this.#nonce = nonce + 1;
    return hash;
  }

  async sign(fields: Readonly<Record<string, unknown>>): Promise<Hex> {
    const transaction = {
      type: "eip1559",
      chainId: CHAIN_ID,
      gas: 200_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      to: this.other.address,
      ...fields,
    };
    if (transaction.type === "legacy" || transaction.type === "eip2930") {
      Object.assign(transaction, { gasPrice: transaction.maxFeePerGas, maxFeePerGas: undefined });
      Object.assign(transaction, { maxPriorityFeePerGas: undefined });
    }
    return this.account.signTransaction(transaction as TransactionSerializable);
  }

  /** Deploys a contract; answers its address. */
  async deploy(code: Hex): Promise<Hex> {
    const hash = await this.send({ to: undefined, data: code });
    return (await this.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash)).contractAddress;
  }
}

/** An embedded node with a chain in memory and a funded account that sends transactions. */
export class DevelopmentNode extends SendingNode {
  readonly node: Node;

  private constructor(node: Node) {
    super(node.accounts.map(({ privateKey }) => privateKey));
    this.node = node;
  }

  static async open(options: Partial<NodeOptions> = {}): Promise<DevelopmentNode> {
    const node = await Node.open({
      directory: undefined,
      chainId: CHAIN_ID,
      blockTime: 0,
      accounts: 3,
      mnemonic: TEST_MNEMONIC,
      gasLimit: 30_000_000,
      genesisTime: 1_700_000_000,
      kzg: { verify: async () => true },
      onError: (error) => {
        throw error;
      },
      ...options,
    });
    return new DevelopmentNode(node);
  }

  override async ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = JSON.parse((await this.node.handle(body, true))!) as { result: T; error?: Refused };
    if (answer.error !== undefined) throw new Refused(answer.error);
    return answer.result;
  }

  close(): Promise<void> {
    return this.node.close();
  }
}

/** Emits a log with the first word of its input as topic and the second as data, and keeps the second in slot 0. */
export const EMITTER: Hex = "0x706020355f525f3560205fa16020355f55005f526011600ff3";

export function word(value: number | bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

export function emission(topic: number, data: number): Hex {
  return `${word(topic)}${word(data).slice(2)}`;
}
