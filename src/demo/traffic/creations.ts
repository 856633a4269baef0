import { encodeCall, encodeValues } from "../../chain/abi/encodeCall.ts";
import { createdAddress } from "../../chain/block/block.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import type { Activity } from "./trafficContext.ts";

const COIN = 10n ** 18n;

export const createWallet: Activity = async (context) => {
  const { random, scene } = context;
  const from = context.person();
  const value = random.chance(40) ? random.part(COIN, 100, 5000) : 0n;
  const data = encodeCall("create(address,bytes32)", from.address, toHex(random.bytes(32)));
  return [{ from, to: scene.addresses.factory, gas: 250_000, value, data }];
};

const WORDS = ["Amber", "Beryl", "Cobalt", "Dune", "Ember", "Fern", "Garnet", "Heath", "Indigo", "Juniper"];

/** Deploys a new token and mints some. */
export const createToken: Activity = async (context) => {
  const { random, view, scene } = context;
  const from = context.person();
  const word = random.pick(WORDS);
  const number = random.between(10, 99);
  const decimals = random.pick([0, 6, 8, 18]);
  const types = ["string", "string", "uint8"];
  const values = encodeValues(types, `${word} ${number}`, `${word.slice(0, 3).toUpperCase()}${number}`, decimals);
  const { nonce } = await view.account(from.address);
  const token = toHex(createdAddress({ from: fromHex(from.address), nonce: uintFromBigInt(nonce) }));
  const supply = BigInt(random.between(1, 999)) * 10n ** BigInt(decimals + 3);
  return [
    { from, gas: 1_300_000, data: `${scene.artifacts.Token}${values.slice(2)}` },
    { from, to: token, gas: 90_000, data: encodeCall("mint(address,uint256)", from.address, supply) },
  ];
};
