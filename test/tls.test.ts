import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Json } from "./support/api.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { selfSignedCertificate } from "./support/selfSigned.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { until } from "./support/waiting.ts";

test("a node with a certificate of its own is refused with what to do, and followed once that is done", async (t) => {
  const tls = selfSignedCertificate();
  assert.ok(new X509Certificate(tls.cert).verify(new X509Certificate(tls.cert).publicKey));
  const chain = new SimulatedChain({ seed: 12, traffic: { transactions: [0, 2] } });
  chain.mine(5);
  const node = await startSimulatedNode(chain, { tls });
  t.after(() => node.close());
  const directory = temporaryDirectory(t);
  const args = ["start", "--rpc", node.url, "--data", join(directory, "data"), "--port", "0"];

  const { code, stderr } = await runProgram(t, args).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^oriel: the node at https:\/\/127\.0\.0\.1:\d+ has a certificate that this machine does not trust \(DEPTH_ZERO_SELF_SIGNED_CERT\); if you do, name a file with it in NODE_EXTRA_CA_CERTS\n$/,
  );

  const file = join(directory, "node.pem");
  writeFileSync(file, tls.cert);
  const program = runProgram(t, args, { environment: { NODE_EXTRA_CA_CERTS: file } });
  const url = await program.url();
  await until("it is indexed", async () => ((await get(`${url}/status`)).body.indexed as Json | null)?.number === 5);
  assert.equal((await get(`${url}/ready`)).status, 200);
});
