import type { FastifyInstance } from "fastify";
import { toHex } from "../../chain/encoding/hex.ts";
import { findBlob } from "../../query/transactions/blobs.ts";
import { serveRead } from "../http/httpRules.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { WebContext } from "./context.ts";
import { expectFound } from "./found.ts";
import { parseHash } from "./params.ts";
import { imageType } from "./parts/imageType.ts";

/** Blobs are untrusted: a browser must not treat one as a page of this site. */
const SANDBOX = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "public, max-age=31536000, immutable",
} as const;

/** Downloads of blobs; images are shown inline. */
export function serveBlobData(scope: FastifyInstance, { network }: WebContext): void {
  const read = async (parameter: string | undefined) => {
    const name = parseHash(parameter ?? "");
    const { blob } = expectFound(await findBlob(network, name));
    return { name, data: expectFound(blob).data };
  };
  serveRead(scope, "/blob/:hash/data", COSTS.blob, async ({ params }, reply) => {
    const { name, data } = await read(params.hash);
    const disposition = `attachment; filename="${toHex(name)}.bin"`;
    return reply
      .headers({ ...SANDBOX, "content-disposition": disposition })
      .type("application/octet-stream")
      .send(Buffer.from(data));
  });
  serveRead(scope, "/blob/:hash/image", COSTS.blob, async ({ params }, reply) => {
    const { data } = await read(params.hash);
    return reply
      .headers(SANDBOX)
      .type(expectFound(imageType(data)))
      .send(Buffer.from(data));
  });
}
