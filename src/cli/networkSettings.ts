import { join } from "node:path";
import { ChainError } from "../chain/error.ts";
import type { Settings } from "../config.ts";
import { storeUrlOf } from "../config.ts";
import type { IntegrityMode } from "../indexer/integrityPolicy.ts";
import type { ExchangeSettings } from "../query/exchange/exchangeSettings.ts";
import { Documents } from "../source/documents/documents.ts";
import { Compilers } from "../verify/compilers.ts";

export function expectQuorum({ rpc = [], quorum }: Settings): void {
  if (quorum <= Math.max(1, rpc.length)) return;
  throw new ChainError(
    "invalid_argument",
    `--quorum ${quorum} needs as many nodes in --rpc, which names ${rpc.length}`,
  );
}

export function expectReplica(settings: Settings): void {
  const urls = [settings["store-read"], storeUrlOf(settings)];
  if (urls[0] === undefined || urls.every((url) => url?.startsWith("postgres"))) return;
  throw new ChainError("invalid_argument", "--store-read names a replica, so both it and --store are postgres:// URLs");
}

export function compilersOf({ data, compilers, "fetch-compilers": fetches }: Settings): Compilers {
  return new Compilers({
    cache: join(data, "compilers"),
    directories: compilers === undefined ? [] : [compilers],
    fetches,
  });
}

/** Development chains break checks by design (impersonated senders); embedded ones do not. */
export function integrityMode({ integrity, dev, rpc }: Settings): IntegrityMode {
  return integrity ?? (dev && rpc !== undefined ? "observe" : "auto");
}

/** Configured values, else those of the demonstration. */
export async function exchangeSettings(
  settings: Settings,
  demonstrated: string | undefined,
): Promise<ExchangeSettings> {
  const { factories, stables, coin, "wrapped-coin": wrappedCoin, "price-depth": priceDepth } = settings;
  const isConfigured = factories !== undefined || stables !== undefined || wrappedCoin !== undefined;
  if (isConfigured || demonstrated === undefined) {
    return { factories: factories ?? [], stables: stables ?? [], wrappedCoin, coin, priceDepth };
  }
  // Loaded on demand: the demonstration brings contracts and an EVM.
  const { demonstratedExchange } = await import("../demo/exchange.ts");
  return { factories: [], stables: [], wrappedCoin, coin, priceDepth, ...demonstratedExchange(demonstrated) };
}

export function documentsOf({ "metadata-hosts": hosts }: Settings): Documents | undefined {
  return hosts && new Documents(hosts);
}

/** Undefined applies the fork's limit. */
export function codeSizeLimitOf(settings: Settings): number | undefined {
  const isUnlimited = settings["disable-code-size-limit"] || settings["allow-unlimited-contract-size"];
  return isUnlimited ? Number.MAX_SAFE_INTEGER : settings["code-size-limit"];
}
