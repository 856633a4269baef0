import { readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { serveRead } from "../../http/httpRules.ts";
import { COSTS } from "../../http/rateLimit.ts";
import { expectFound } from "../found.ts";
import { imageType } from "../parts/imageType.ts";
import { IMAGE_FOLDER } from "./documents.ts";

/** Pictures of documents, by names that are there. */
export function serveDocumentImages(scope: FastifyInstance): void {
  serveRead(scope, "/docs/images/:name", COSTS.record, (request, reply) => {
    const name = expectFound(readdirSync(IMAGE_FOLDER).find((each) => each === request.params.name));
    const body = readFileSync(new URL(name, IMAGE_FOLDER));
    return reply.type(expectFound(imageType(body))).send(body);
  });
}
