import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { ContractCall, Head } from "../../chain/source.ts";
import type { Caller } from "../node/callContracts.ts";
import { callContracts, contractCall } from "../node/callContracts.ts";
import type { Uncollected } from "./uncollectedFees.ts";

/** Shares of a pool of Solidly. */
interface Shares {
  readonly pool: AddressBytes;
  readonly amount: bigint;
}

/** Fees of one share are counted with 18 decimals. */
const ONE = 10n ** 18n;

/** What an owner of shares can claim after a block by the node; undefined without a valid answer in time. */
export async function readClaimable(
  context: Caller,
  owner: AddressBytes,
  shares: readonly Shares[],
  at: Pick<Head, "number" | "hash">,
): Promise<(Uncollected | undefined)[]> {
  const callsOf = ({ pool }: Shares) => [...callsFor(0, pool, owner), ...callsFor(1, pool, owner)];
  const wordsOf = await callContracts(context, shares.flatMap(callsOf), at);
  return shares.map((own) => {
    const words = callsOf(own).map((call) => wordsOf(call)[0]);
    const [fees0, fees1] = [feesOf(own, words.slice(0, 3)), feesOf(own, words.slice(3))];
    return fees0 === undefined || fees1 === undefined ? undefined : [fees0, fees1];
  });
}

/** Fees of all time of a share, of which those until the owner's last change are counted, and what was counted. */
function callsFor(token: 0 | 1, pool: AddressBytes, owner: AddressBytes): ContractCall[] {
  return [
    contractCall(pool, `index${token}()`),
    ...[`supplyIndex${token}(address)`, `claimable${token}(address)`].map((signature) =>
      contractCall(pool, signature, toHex(owner)),
    ),
  ];
}

function feesOf({ amount }: Shares, [index, counted, claimable]: readonly (bigint | undefined)[]): bigint | undefined {
  if (index === undefined || counted === undefined || claimable === undefined || index < counted) return undefined;
  return claimable + (amount * (index - counted)) / ONE;
}
