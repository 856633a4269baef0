import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { UNREAD_EVENTS } from "../../chain/exchange/unreadEvents.ts";
import { readSignatureUse } from "../../store/read/signatureUse.ts";
import type { ReadSession } from "../../store/session.ts";

/** Events of a kind of exchange that is not understood. */
export interface UnreadExchange {
  readonly signature: string;
  readonly logs: number;
  /** Of the newest of these logs, the newest first. */
  readonly emitters: readonly AddressBytes[];
}

/** Logs of each event whose emitters are told. */
const MAX_LOGS = 20;

export async function readUnreadExchanges(session: ReadSession): Promise<UnreadExchange[]> {
  const topics = UNREAD_EVENTS.map(({ topic }) => topic);
  const uses = await readSignatureUse(session, topics, MAX_LOGS);
  const found = UNREAD_EVENTS.map(({ signature }, at) => ({ signature, ...uses[at]! })).filter(({ logs }) => logs > 0);
  const positions = found.flatMap(({ newest }) => newest.toReversed());
  const emitters = (await session.logs.at(positions)).map(({ address }) => address);
  let at = 0;
  return found.map(({ signature, logs, newest }) => {
    const own = emitters.slice(at, at + newest.length);
    at += newest.length;
    return { signature, logs, emitters: [...new Map(own.map((address) => [toHex(address), address])).values()] };
  });
}
