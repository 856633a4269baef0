import type { AddressBytes, Bytes } from "../encoding/bytes.ts";
import { fromHex } from "../encoding/hex.ts";
import type { ContractCall } from "../source.ts";

const URI = { tokenURI: fromHex("0xc87b56dd"), uri: fromHex("0x0e89341c") } as const;
const TOTAL_SUPPLY = fromHex("0x18160ddd");
const BALANCE_OF = fromHex("0x70a08231");
const ITEM_BALANCE_OF = fromHex("0x00fdd58e");

export function balanceCall(token: AddressBytes, holder: AddressBytes): ContractCall {
  const data = new Uint8Array(36);
  data.set(BALANCE_OF);
  data.set(holder, 16);
  return { to: token, data };
}

export function supplyCall(token: AddressBytes): ContractCall {
  return { to: token, data: TOTAL_SUPPLY };
}

export function itemBalanceCall(token: AddressBytes, holder: AddressBytes, tokenId: Bytes): ContractCall {
  const data = new Uint8Array(68);
  data.set(ITEM_BALANCE_OF);
  data.set(holder, 16);
  data.set(tokenId, 36);
  return { to: token, data };
}

/** `tokenURI` of ERC-721, `uri` of ERC-1155. */
export function uriCall(token: AddressBytes, tokenId: Bytes, method: keyof typeof URI): ContractCall {
  const data = new Uint8Array(36);
  data.set(URI[method]);
  data.set(tokenId, 4);
  return { to: token, data };
}
