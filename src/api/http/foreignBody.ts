import type { FastifyRequest } from "fastify";
import { HttpError } from "./failure.ts";

/**
 * Rejects, before it is read, a cross-site body of plain text or without a type: browsers send those without a
 * preflight, and no client of ours does.
 */
export async function refuseForeignText({ method, headers }: FastifyRequest): Promise<void> {
  if (method === "POST" && isForeign(headers) && /^\s*(text\/plain\b|;|$)/i.test(headers["content-type"] ?? "")) {
    throw new HttpError(415);
  }
}

function isForeign({ origin, host, "sec-fetch-site": site }: FastifyRequest["headers"]): boolean {
  if (site !== undefined) return site === "cross-site";
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
}
