import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { toHex } from "../../src/chain/encoding/hex.ts";
import type { UpstreamOptions } from "../../src/source/upstream.ts";
import { Upstream } from "../../src/source/upstream.ts";
import type { Methods, Post, RpcCall } from "./rpcServer.ts";
import { answerOne, answerWell, blockHash, chainMethods, openNode, openServer } from "./rpcServer.ts";

export const chain = chainMethods(1000);
export const quickRetry = { baseMs: 1, maxDelayMs: 4, deadlineMs: 3000 };

export function openUpstream(t: TestContext, options: UpstreamOptions): Upstream {
  const upstream = new Upstream({ retry: quickRetry, ...options });
  t.after(() => upstream.close());
  return upstream;
}

export async function openBoth(t: TestContext, methods: Methods, options: Partial<UpstreamOptions> = {}) {
  const node = await openNode(t, methods);
  return { node, upstream: openUpstream(t, { url: node.url, ...options }) };
}

/** An upstream whose node answers eth_chainId correctly and everything else as the test defines. */
export async function openFaulty(t: TestContext, answer: (post: Post) => void, options: Partial<UpstreamOptions> = {}) {
  const server = await openServer(t, (post) =>
    post.calls[0]!.method === "eth_chainId" ? answerWell({}, post) : answer(post),
  );
  const upstream = openUpstream(t, { url: server.url, ...options });
  const asked = () => server.posts.filter(({ calls }) => calls[0]!.method !== "eth_chainId");
  return { server, upstream, asked };
}

/** A node whose first answer is faulty and whose others are right. */
export function openFaultyOnce(t: TestContext, fault: (post: Post) => void, options: Partial<UpstreamOptions> = {}) {
  let isFirst = true;
  const answer = (post: Post) => {
    if (!isFirst) return answerWell(chain, post);
    isFirst = false;
    fault(post);
  };
  return openFaulty(t, answer, options);
}

export const right = (call: RpcCall) => answerOne(chain, call);

export async function assertHashes(upstream: Upstream, numbers: readonly number[]): Promise<void> {
  const hashes = await upstream.hashes(numbers);
  assert.deepEqual(
    hashes.map((hash) => hash && toHex(hash)),
    numbers.map(blockHash),
  );
}
