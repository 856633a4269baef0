import assert from "node:assert/strict";
import { after, test } from "node:test";
import { JsonRpcProvider } from "ethers";
import { startNetworks } from "./support/networks.ts";
import { act, settled, sourceOf, submissionOf } from "./support/verification/actions.ts";
import { CORPUS } from "./support/verification/corpus.ts";
import { deploy } from "./support/verification/deployments.ts";
import { INSTALLED } from "./support/verification/releases.ts";

test("what was being compiled when the program was killed is verified after its next start", async () => {
  const networks = await startNetworks(after, "--compilers", INSTALLED, "--no-fetch-compilers");
  const url = networks.urls.testnet!;
  const node = new JsonRpcProvider(`${url}/rpc`, 968, { cacheTimeout: -1, pollingInterval: 50 });
  const contract = CORPUS.find(({ name }) => name === "Vault")!;
  const address = await deploy(node, contract);
  node.destroy();
  const { result: guid } = await act(url, submissionOf(address, contract), "POST");
  const again = await act(url, submissionOf(address, contract), "POST");
  const asked = act(url, { action: "checkverifystatus", guid }, "GET").then(
    ({ result }) => result,
    () => "no answer",
  );

  const restarted = (await networks.restart("SIGKILL")).testnet!;

  assert.equal(await asked, "no answer");
  assert.equal(again.result, guid);
  assert.equal(await settled(restarted, guid), "Pass - Verified");
  assert.equal((await sourceOf(restarted, address)).ContractName, "Vault");
});
