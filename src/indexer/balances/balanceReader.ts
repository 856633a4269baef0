import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import type { Source } from "../../chain/source.ts";
import { StateClient } from "../../source/stateClient.ts";
import type { NativeBalance } from "../../store/stages/native/nativeWrite.ts";
import type { AskedBlock } from "./balancePlan.ts";

export const BALANCE_BATCH_SIZE = 500;

export class BalanceReader {
  readonly #source: Pick<Source, "requests">;
  readonly #client: StateClient;

  constructor(source: Pick<Source, "requests" | "hashes">) {
    this.#source = source;
    this.#client = new StateClient(source);
  }

  read({ addresses, ...at }: AskedBlock): Promise<NativeBalance[]> {
    return this.#client.askAt(at, async (block) => {
      const balances: NativeBalance[] = [];
      for (let from = 0; from < addresses.length; from += BALANCE_BATCH_SIZE) {
        balances.push(...(await this.#ask(addresses.slice(from, from + BALANCE_BATCH_SIZE), block)));
      }
      return balances;
    });
  }

  async #ask(addresses: readonly Bytes[], block: unknown): Promise<NativeBalance[]> {
    const questions = addresses.map((address) => ({ method: "eth_getBalance", params: [toHex(address), block] }));
    const answers = await this.#source.requests(questions);
    return addresses.map((address, at) => ({
      address,
      balance: uintToBigInt(new WireReader().uint(answers[at], "balance")),
    }));
  }
}
