import type { UpstreamOptions } from "../upstream.ts";
import { Upstream } from "../upstream.ts";
import type { PoolOptions } from "./pool.ts";
import { Pool } from "./pool.ts";

export type PoolMemberOptions = Omit<Extract<UpstreamOptions, { url: string }>, "url"> &
  Pick<PoolOptions, "hedgeDelay" | "onTrust" | "quorum">;

/** With several nodes, each gets less time and no retries: another node is asked instead. */
const ONE_OF_SEVERAL = { attempts: 1, invalidAttempts: 1, unreachedAttempts: 1 };
const MAX_TIMEOUT = 10_000;

export function openPool(urls: readonly string[], options: PoolMemberOptions = {}): Pool {
  if (urls.length === 1) return new Pool([new Upstream({ url: urls[0]!, ...options })], poolOptions(options));
  const timeoutMs = Math.min(options.timeoutMs ?? MAX_TIMEOUT, MAX_TIMEOUT);
  const each = { ...options, timeoutMs, retry: { ...options.retry, ...ONE_OF_SEVERAL } };
  return new Pool(
    urls.map((url) => new Upstream({ url, ...each })),
    poolOptions(options),
  );
}

function poolOptions({ retry, hedgeDelay, onTrust, quorum }: PoolMemberOptions): PoolOptions {
  return { onTrust, quorum, ...(retry !== undefined && { retry }), ...(hedgeDelay !== undefined && { hedgeDelay }) };
}
