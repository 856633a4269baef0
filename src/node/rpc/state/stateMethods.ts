import { Account, Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { expectMined, isPending } from "../../blockIds.ts";
import { stateAt } from "../../findBlock.ts";
import { blockIdParam } from "../../params/blockParams.ts";
import {
  addressParam,
  expectAtMost,
  invalidParams,
  objectParam,
  readAddress,
  readArray,
  readHash,
  readStorageKey,
  readText,
  required,
  textParam,
} from "../../params/params.ts";
import type { Methods } from "../methods.ts";
import { presentProof } from "./presentProof.ts";

export const MAX_STORAGE_SLOTS = 1024;

export const stateMethods: Methods = {
  eth_getBalance: async (context, params) => {
    expectAtMost(params, 2);
    const address = new Address(addressParam(params, 0));
    const state = await stateAt(context, blockIdParam(params, 1));
    return quantity((await state.getAccount(address))?.balance ?? 0n);
  },
  eth_getTransactionCount: async (context, params) => {
    expectAtMost(params, 2);
    const address = addressParam(params, 0);
    const id = blockIdParam(params, 1);
    if (isPending(id)) return quantity(await context.pool.nextNonce(address));
    const account = await (await stateAt(context, id)).getAccount(new Address(address));
    return quantity(account?.nonce ?? 0n);
  },
  eth_getCode: async (context, params) => {
    expectAtMost(params, 2);
    const address = new Address(addressParam(params, 0));
    const state = await stateAt(context, blockIdParam(params, 1));
    return toHex(await state.getCode(address));
  },
  eth_getStorageAt: async (context, params) => {
    expectAtMost(params, 3);
    const address = new Address(addressParam(params, 0));
    const { key } = readStorageKey(textParam(params, 1));
    const state = await stateAt(context, blockIdParam(params, 2));
    return word(await state.getStorage(address, key));
  },
  eth_getStorageValues: async (context, params) => {
    expectAtMost(params, 2);
    const asked = readSlots(params);
    const state = await stateAt(context, blockIdParam(params, 1));
    const values: Record<Hex, Hex[]> = {};
    for (const [address, slots] of asked) {
      const found: Hex[] = [];
      for (const slot of slots) found.push(word(await state.getStorage(new Address(address), slot)));
      values[toHex(address)] = found;
    }
    return values;
  },
  eth_getAccount: async (context, params) => {
    expectAtMost(params, 2);
    const address = new Address(addressParam(params, 0));
    const state = await stateAt(context, blockIdParam(params, 1));
    const { nonce, balance, storageRoot, codeHash } = (await state.getAccount(address)) ?? new Account();
    return {
      balance: quantity(balance),
      codeHash: toHex(codeHash),
      nonce: quantity(nonce),
      storageRoot: toHex(storageRoot),
    };
  },
  eth_getAccountInfo: async (context, params) => {
    expectAtMost(params, 2);
    const address = new Address(addressParam(params, 0));
    const state = await stateAt(context, blockIdParam(params, 1));
    const { nonce, balance } = (await state.getAccount(address)) ?? new Account();
    return { balance: quantity(balance), code: toHex(await state.getCode(address)), nonce: quantity(nonce) };
  },
  eth_getProof: async (context, params) => {
    expectAtMost(params, 3);
    const address = new Address(addressParam(params, 0));
    const keys = readArray(required(params, 1), { argument: 1 }, "[]string");
    if (keys.length > MAX_STORAGE_SLOTS) throw tooManySlots();
    const slots = keys.map((key) => readStorageKey(readText(key, { argument: 1 })));
    // Pending resolves to the head.
    const block = expectMined(context.chain, blockIdParam(params, 2));
    return await presentProof(context.chain.proverAfter(block), address, slots);
  },
};

/** Slots by address. */
function readSlots(params: readonly unknown[]): [Bytes, Bytes[]][] {
  const entries = Object.entries(objectParam(params, 0, "map[common.Address][]common.Hash"));
  const asked = entries.map(([address, slots]): [Bytes, Bytes[]] => {
    const list = readArray(slots, { argument: 0 }, "[]common.Hash");
    return [readAddress(address, { argument: 0 }), list.map((slot) => readHash(slot, { argument: 0 }))];
  });
  const count = asked.reduce((sum, [, slots]) => sum + slots.length, 0);
  if (count === 0) throw invalidParams("empty request");
  if (count > MAX_STORAGE_SLOTS) throw tooManySlots();
  return asked;
}

function tooManySlots(): RpcError {
  return new RpcError(RPC.clientLimit, `too many slots (max ${MAX_STORAGE_SLOTS})`);
}

function word(value: Bytes): Hex {
  return `0x${Buffer.from(value).toString("hex").padStart(64, "0")}`;
}
