import type { Hex } from "../../src/chain/encoding/hex.ts";
import { quantity } from "../../src/chain/encoding/hex.ts";
import { GATEWAY_METHODS } from "../../src/gateway/methodTable.ts";
import type { SendingNode } from "./developmentNode.ts";
import { EMITTER, emission, word } from "./developmentNode.ts";
import type { Random } from "./random.ts";

interface WireBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly transactions: readonly Hex[];
}

/** A chain that changes at random behind a gateway, and random calls about it. */
export class RandomCalls {
  readonly #node: SendingNode;
  readonly #random: Random;
  readonly #emitters: Hex[] = [];
  #blocks: WireBlock[] = [];
  #lost: WireBlock[] = [];
  #lostShare = 0.1;

  constructor(node: SendingNode, random: Random) {
    this.#node = node;
    this.#random = random;
  }

  async begin(): Promise<void> {
    for (let count = 0; count < 3; count++) this.#emitters.push(await this.#node.deploy(EMITTER));
    for (let count = 0; count < 12; count++) await this.grow();
  }

  /** Mines some transactions of all types, one block for each or one for all. */
  async grow(): Promise<void> {
    const node = this.#node;
    const isOneBlock = this.#random.chance(0.4);
    if (isOneBlock) await node.ask("evm_setAutomine", false);
    for (let count = this.#random.int(4); count >= 0; count--) await this.#send();
    if (isOneBlock) {
      await node.ask("evm_mine");
      await node.ask("evm_setAutomine", true);
    }
    await this.#read();
  }

  /** Replaces the newest blocks by others. */
  async reorganise(depth = 1 + this.#random.int(4)): Promise<void> {
    await this.#node.ask("anvil_reorg", depth, []);
    await this.#read();
  }

  /** Takes the newest blocks away. */
  async goBack(depth: number): Promise<void> {
    await this.#node.ask("anvil_rollback", depth);
    await this.#read();
  }

  /** From now on this share of the calls that name a block or a transaction name one that is gone, if there are any. */
  askForLost(share: number): void {
    this.#lostShare = share;
  }

  async #send(): Promise<void> {
    const node = this.#node;
    const to = this.#random.pick(this.#emitters);
    const data = emission(this.#random.int(4), this.#random.int(1000));
    const type = this.#random.pick(["legacy", "eip2930", "eip1559", "eip7702", "creation", "failure", "plain"]);
    const nonce = Number(await node.ask("eth_getTransactionCount", node.account.address, "pending"));
    const fields = { nonce, maxFeePerGas: 100_000_000_000n };
    if (type === "creation") await node.send({ ...fields, to: undefined, data: EMITTER });
    else if (type === "failure") await node.send({ ...fields, to: undefined, data: "0x60006000fd" });
    else if (type === "plain") await node.send({ ...fields, value: 5n });
    else if (type === "eip7702") await this.#delegate(fields, to);
    else await node.send({ ...fields, type, to, data, accessList: [{ address: to, storageKeys: [word(0)] }] });
  }

  async #delegate(fields: object, contractAddress: Hex): Promise<void> {
    const node = this.#node;
    const nonce = Number(await node.ask("eth_getTransactionCount", node.other.address, "pending"));
    const authorization = await node.other.signAuthorization({ contractAddress, chainId: 968, nonce });
    await node.send({ ...fields, type: "eip7702", authorizationList: [authorization] });
  }

  async #read(): Promise<void> {
    const node = this.#node;
    const head = Number(await node.ask("eth_blockNumber"));
    const before = this.#blocks;
    this.#blocks = [];
    for (let number = 0; number <= head; number++) {
      this.#blocks.push(await node.ask<WireBlock>("eth_getBlockByNumber", quantity(number), false));
    }
    const hashes = new Set(this.#blocks.map(({ hash }) => hash));
    this.#lost.push(...before.filter(({ hash }) => !hashes.has(hash)));
    this.#lost = this.#lost.slice(-50);
  }

  next(): [method: string, params: unknown[]] {
    const method = this.#random.pick(METHODS);
    const params = this.#params(method);
    if (this.#random.chance(0.04)) params[this.#random.int(params.length + 1)] = this.#random.pick(ODD_VALUES);
    return [method, params];
  }

  get #block(): WireBlock {
    return this.#random.pick(this.#blocks);
  }

  #number(): unknown {
    const tag = () => this.#random.pick(["latest", "earliest", "safe", "finalized"]);
    return this.#random.chance(0.15) ? tag() : quantity(this.#random.int(this.#blocks.length + 2));
  }

  #blockHash(): Hex {
    if (this.#random.chance(0.05)) return word(7);
    const isLost = this.#lost.length > 0 && this.#random.chance(this.#lostShare);
    return isLost ? this.#random.pick(this.#lost).hash : this.#block.hash;
  }

  #transaction(): Hex {
    const lost = this.#random.chance(this.#lostShare) ? this.#lost.flatMap(({ transactions }) => transactions) : [];
    const all = lost.length > 0 ? lost : this.#blocks.flatMap(({ transactions }) => transactions);
    return this.#random.chance(0.05) ? word(9) : this.#random.pick(all);
  }

  #state(): unknown {
    if (this.#random.chance(0.3)) return { blockHash: this.#blockHash() };
    return this.#random.chance(0.3) ? "latest" : quantity(this.#random.int(this.#blocks.length));
  }

  #params(method: string): unknown[] {
    const account = () => this.#random.pick([this.#node.account.address, ...this.#emitters]);
    const flag = this.#random.chance(0.5);
    if (method.endsWith("ByBlockNumberAndIndex")) return [this.#number(), quantity(this.#random.int(4))];
    if (method.endsWith("ByBlockHashAndIndex")) return [this.#blockHash(), quantity(this.#random.int(4))];
    if (method === "eth_getBlockByNumber") return [this.#number(), flag];
    if (method === "eth_getBlockByHash") return [this.#blockHash(), flag];
    if (method === "eth_getBlockReceipts") return [flag ? this.#blockHash() : this.#number()];
    if (method === "eth_getLogs") return [this.#filter()];
    if (method === "eth_getStorageAt") return [account(), "0x0", this.#state()];
    if (method === "eth_getProof") return [account(), ["0x0"], this.#state()];
    if (method === "eth_call") return [{ to: this.#random.pick(this.#emitters), data: emission(1, 2) }, this.#state()];
    if (/eth_get(Balance|TransactionCount|Code)$/.test(method)) return [account(), this.#state()];
    if (/Number$/.test(method)) return [this.#number()];
    if (/^eth_get.*(Block|Count)\w*Hash$/.test(method)) return [this.#blockHash()];
    if (/Transaction(ByHash|Receipt)$|RawTransaction|TxHash$/.test(method)) return [this.#transaction()];
    if (method === "eth_getBlobSidecars") return [this.#number(), flag];
    if (method === "web3_sha3") return [word(this.#random.int(100))];
    return method === "eth_feeHistory" ? ["0x2", quantity(this.#random.int(this.#blocks.length)), [50]] : [];
  }

  #filter(): object {
    const topic = () => word(this.#random.int(4));
    const place = () => this.#random.pick([null, topic(), [topic(), topic()], [], [null, topic()]]);
    const emitters = this.#random.pick([undefined, this.#random.pick(this.#emitters), this.#emitters, []]);
    const topics = Array.from({ length: this.#random.int(3) }, place);
    const criteria = { ...(emitters && { address: emitters }), ...(this.#random.chance(0.7) && { topics }) };
    if (this.#random.chance(0.2)) return { blockHash: this.#blockHash(), ...criteria };
    const [one, other] = [this.#random.int(this.#blocks.length + 1), this.#random.int(this.#blocks.length + 1)];
    const isOrdered = this.#random.chance(0.95);
    const fromBlock = quantity(isOrdered ? Math.min(one, other) : Math.max(one, other));
    const toBlock = this.#random.pick([quantity(Math.max(one, other)), "latest", "finalized", undefined]);
    return { fromBlock, ...(toBlock !== undefined && { toBlock }), ...criteria };
  }
}

/** Methods of the gateway whose response does not change from moment to moment. */
const METHODS = Object.keys(GATEWAY_METHODS).filter(
  (name) =>
    !/Filter|send|rpc_modules|accounts|simulate|fill|createAccess|StorageValues|Account|Uncle|Sender/.test(name),
);

const ODD_VALUES = [null, "", "0x", "latest", "0xzz", 5, -1, {}, [], true, `0x${"0".repeat(65)}`, "0x01", word(1)];
