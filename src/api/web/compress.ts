import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** Shorter responses fit into a packet. */
const MIN_COMPRESSED_SIZE = 1400;

/** Pages change with each block, so compression has to be cheap. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Compressed pages get a weak ETag, since one page has several encodings (RFC 9110, 8.8.3). */
export function compressPages(scope: FastifyInstance): void {
  scope.addHook("onSend", async ({ headers }, reply, payload) => {
    if (typeof payload !== "string" || payload.length < MIN_COMPRESSED_SIZE) return payload;
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
