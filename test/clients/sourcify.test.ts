import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startNetworks } from "../support/networks.ts";
import { compileForImport, SOURCES } from "../support/verification/importedProject.ts";
import { COMPILER, compile, inputOf, VerifyingNetwork } from "../support/verification.ts";

interface Status {
  readonly success: boolean;
  readonly message: string;
}

interface Sourcify {
  isVerified(address: string): Promise<boolean>;
  verify(submission: {
    contractAddress: string;
    compilerInput: unknown;
    contractName: string;
    compilerVersion: string;
  }): Promise<string>;
  pollVerificationStatus(guid: string, address: string, contract: string): Promise<Status>;
}

const { resolve } = createRequire(fileURLToPath(new URL("../nodes/package.json", import.meta.url)));
const folder = join(dirname(resolve("@nomicfoundation/hardhat-verify/package.json")), "dist", "src", "internal");
const { Sourcify } = (await import(pathToFileURL(join(folder, "sourcify.js")).href)) as {
  Sourcify: new (options: { chainId: number; apiUrl: string }) => Sourcify;
};

const { urls } = await startNetworks(after);
const network = new VerifyingNetwork(urls.testnet!);
after(() => network.close());

const SOURCE = `pragma solidity ^0.8.0;
contract Kept {
  uint256 public immutable start;
  constructor(uint256 from) { start = from; }
  function next() external view returns (uint256) { return start + 1; }
}`;
const PATH = "contracts/Kept.sol";
const CONTRACT = `${PATH}:Kept`;
const VERSION = COMPILER.replace(/^v/, "");
const inputFor = (source: string) => inputOf({ [PATH]: source });

async function getJson(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${network.url}${path}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("Sourcify's API", () => {
  const sourcify = new Sourcify({ chainId: 968, apiUrl: network.url });
  const submit = (contractAddress: string, source: string) =>
    sourcify.verify({
      contractAddress,
      compilerInput: inputFor(source),
      contractName: CONTRACT,
      compilerVersion: VERSION,
    });

  test("a wrong source fails, the right one is verified, and then it is already", async () => {
    const address = await network.deploy(compile(inputFor(SOURCE), CONTRACT), 42n);
    assert.equal(await sourcify.isVerified(address), false);

    const wrong = await submit(address, SOURCE.replace("start + 1", "start + 2"));
    const failed = await sourcify.pollVerificationStatus(wrong, address, CONTRACT);
    assert.equal(failed.success, false);
    const right = await submit(address, SOURCE);
    const passed = await sourcify.pollVerificationStatus(right, address, CONTRACT);

    assert.deepEqual([passed.success, passed.message], [true, 'Contract verified with status "exact_match"']);
    assert.equal(await sourcify.isVerified(address), true);
    await assert.rejects(submit(address, SOURCE), /already (been )?verified/);
    const { status, body } = await getJson(`/v2/contract/968/${address}?fields=abi,sources,compilation.name`);
    assert.deepEqual(
      [status, body.match, body.creationMatch, body.runtimeMatch, body.chainId],
      [200, "exact_match", "exact_match", "exact_match", "968"],
    );
    assert.deepEqual(body.sources, { [PATH]: { content: SOURCE } });
    assert.equal((body.compilation as { fullyQualifiedName: string }).fullyQualifiedName, CONTRACT);
    assert.ok((body.abi as { name?: string }[]).some(({ name }) => name === "next"));
    const list = (await getJson("/v2/contracts/968")).body.results as { address: string; matchId: string }[];
    assert.ok(list.some((each) => each.address.toLowerCase() === address));
    const rest = (await getJson(`/v2/contracts/968?afterMatchId=${list[0]!.matchId}`)).body.results as unknown[];
    assert.equal(rest.length, list.length - 1);
  });

  test("metadata with its files is verified, and then the contracts with the same code", async () => {
    const { compiled, metadata } = compileForImport();
    const [address, copy] = [await network.deploy(compiled, 1n), await network.deploy(compiled, 2n)];
    const submitAs = async (form: string, place: string, body: object) => {
      const response = await fetch(`${network.url}/v2/verify/${form}/968/${place}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    const sources = { "main.sol": SOURCES[0], "base.sol": SOURCES[1] };
    const chainsOf = async () => (await getJson(`/v2/contract/all-chains/${address}`)).body.results;

    const early = await submitAs("similarity", copy, {});
    const partial = await submitAs("metadata", address, { metadata, sources: { "main.sol": SOURCES[0] } });
    const before = await chainsOf();
    const whole = await submitAs("metadata", address, { metadata: JSON.parse(metadata) as object, sources });
    const verified = await getJson(`/v2/verify/${whole.body.verificationId}`);
    const similar = await submitAs("similarity", copy, {});
    const found = await getJson(`/v2/verify/${similar.body.verificationId}`);

    assert.deepEqual([early.status, early.body.customCode], [404, "no_similar_match_found"]);
    assert.deepEqual([partial.status, partial.body.customCode], [400, "missing_or_invalid_source"]);
    assert.deepEqual([whole.status, similar.status, before], [202, 202, []]);
    for (const { body } of [verified, found]) {
      assert.equal((body.contract as { match: string | null }).match, "exact_match", JSON.stringify(body));
    }
    assert.deepEqual(await chainsOf(), [(await getJson(`/v2/contract/968/${address}`)).body]);
    for (const odd of ["text", ["a"], {}, { a: 1 }]) {
      assert.equal((await submitAs("metadata", copy, { metadata, sources: odd })).status, 400);
    }
  });

  test("what cannot be right is refused with a code", async () => {
    const nobody = `0x${"17".repeat(20)}`;
    const post = async (path: string, body: unknown, type = "application/json") => {
      const response = await fetch(`${network.url}${path}`, {
        method: "POST",
        headers: { "content-type": type },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const answer = (await response.json()) as { customCode: string; message: string; errorId: string };
      assert.ok(answer.errorId.length > 30 && answer.message.length > 0);
      return [response.status, answer.customCode];
    };
    const submission = { stdJsonInput: inputFor(SOURCE), compilerVersion: VERSION, contractIdentifier: CONTRACT };

    assert.deepEqual(await post(`/v2/verify/968/${nobody}`, submission), [400, "contract_not_deployed"]);
    assert.deepEqual(await post(`/v2/verify/1/${nobody}`, submission), [400, "unsupported_chain"]);
    assert.deepEqual(await post("/v2/verify/968/0x12", submission), [400, "invalid_parameter"]);
    assert.deepEqual(await post(`/v2/verify/968/${nobody}`, "{"), [400, "invalid_parameter"]);
    for (const missing of Object.keys(submission)) {
      const part = { ...submission, [missing]: undefined };
      assert.deepEqual(await post(`/v2/verify/968/${nobody}`, part), [400, "invalid_parameter"], missing);
    }
    const odd = { ...submission, compilerVersion: "latest" };
    assert.deepEqual(await post(`/v2/verify/968/${nobody}`, odd), [400, "invalid_compiler_version"]);
    const job = await getJson(`/v2/verify/${"12".repeat(28)}`);
    assert.deepEqual([job.status, job.body.customCode], [404, "job_not_found"]);
    const unknown = await getJson(`/v2/contract/968/${nobody}`);
    assert.deepEqual([unknown.status, unknown.body.match], [404, null]);
    assert.equal((await getJson(`/v2/contract/968/${nobody}?fields=nope`)).status, 400);
    assert.equal((await getJson("/v2/contracts/968?limit=x")).status, 400);
    assert.equal((await fetch(`${network.url}/v2/verify/968/${nobody}`)).status, 405);
  });
});
