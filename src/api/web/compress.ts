import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** What is shorter fits into a packet as it is. */
const SHORTEST = 1400;

/** A page is made anew with each block, so that a little work for each has to do. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Sends pages as small as a browser can read them. Its tag is then a weak one: the same page has several forms (RFC 9110, 8.8.3). */
export function compressPages(scope: FastifyInstance): void {
  scope.addHook("onSend", async ({ headers }, reply, payload) => {
    if (typeof payload !== "string" || payload.length < SHORTEST) return payload;
    reply.header("vary", "accept, accept-encoding");
    const accepted = headers["accept-encoding"] ?? "";
    const encoding = /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : undefined;
    if (encoding === undefined) return payload;
    const etag = reply.getHeader("etag");
    if (typeof etag === "string" && !etag.startsWith("W/")) reply.header("etag", `W/${etag}`);
    reply.header("content-encoding", encoding).removeHeader("content-length");
    return encoding === "br" ? toBrotli(payload, QUALITY) : toGzip(payload);
  });
}
