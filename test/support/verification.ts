import assert from "node:assert/strict";
import type { InterfaceAbi } from "ethers";
import { ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import solc from "solc";
import type { Json } from "./api.ts";
import { KEYS } from "./networks.ts";
import { get } from "./program.ts";
import { until } from "./waiting.ts";

export const COMPILER = `v${solc.version().replace(".Emscripten.clang", "")}`;

/** solc's standard JSON input. */
export interface CompilerInput {
  readonly language: "Solidity";
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

export function inputOf(sources: Readonly<Record<string, string>>, settings: object = {}): CompilerInput {
  return {
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings: { optimizer: { enabled: true, runs: 200 }, outputSelection: { "*": { "*": ["*"] } }, ...settings },
  };
}

export interface CompiledContract {
  readonly abi: InterfaceAbi;
  readonly bytecode: string;
}

/** Compiled for deployment: other outputs of an input do not change the code. */
const DEPLOYED = { "*": { "*": ["abi", "evm.bytecode.object"] } };

/** By `path:name`. */
export function compile(input: CompilerInput, contract: string): CompiledContract {
  const [path, name] = contract.split(":");
  const settings = { ...input.settings, outputSelection: DEPLOYED };
  const output = JSON.parse(solc.compile(JSON.stringify({ ...input, settings })));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === "error");
  assert.deepEqual(errors, []);
  const { abi, evm } = output.contracts[path!][name!];
  return { abi, bytecode: `0x${evm.bytecode.object}` };
}

export interface Envelope {
  readonly status: string;
  readonly message: string;
  readonly result: string;
}

export interface Submitted {
  readonly address: string;
  readonly input: CompilerInput;
  readonly contract: string;
}

/** A network as whoever deploys and verifies contracts sees it. */
export class VerifyingNetwork {
  readonly url: string;
  readonly node: JsonRpcProvider;
  readonly wallet: Wallet;

  constructor(url: string, chainId = 968) {
    this.url = url;
    this.node = new JsonRpcProvider(`${url}/rpc`, chainId, { cacheTimeout: -1, pollingInterval: 50 });
    this.wallet = new Wallet(KEYS[0]!, this.node);
  }

  close(): void {
    this.node.destroy();
  }

  /** Deploys a contract and waits until it is indexed; answers its address. */
  async deploy({ abi, bytecode }: CompiledContract, ...values: readonly unknown[]): Promise<string> {
    const contract = await new ContractFactory(abi, bytecode, this.wallet).deploy(...values);
    const { blockNumber } = (await contract.deploymentTransaction()!.wait())!;
    await this.indexed(blockNumber);
    return (await contract.getAddress()).toLowerCase();
  }

  indexed(block: number): Promise<void> {
    return until(`block ${block} is indexed`, async () => {
      const { body } = await get(`${this.url}/status`);
      return ((body.indexed as { number: number } | null)?.number ?? -1) >= block;
    });
  }

  async act(parameters: Readonly<Record<string, string>>, method: "GET" | "POST" = "GET"): Promise<Envelope> {
    const form = new URLSearchParams({ module: "contract", ...parameters });
    const asked = method === "GET" ? `${this.url}/api?${form}` : `${this.url}/api`;
    const response = await fetch(asked, method === "GET" ? {} : { method, body: form });
    assert.equal(response.status, 200);
    return (await response.json()) as Envelope;
  }

  submit({ address, input, contract }: Submitted, more: Readonly<Record<string, string>> = {}): Promise<Envelope> {
    const parameters = {
      action: "verifysourcecode",
      contractaddress: address,
      sourceCode: JSON.stringify(input),
      codeformat: "solidity-standard-json-input",
      contractname: contract,
      compilerversion: COMPILER,
      ...more,
    };
    return this.act(parameters, "POST");
  }

  async outcome(guid: string, method: "GET" | "POST" = "GET"): Promise<Envelope> {
    let answer: Envelope | undefined;
    await until(
      "the source was compiled",
      async () => {
        answer = await this.act({ action: "checkverifystatus", guid }, method);
        return answer.result !== "Pending in queue";
      },
      60_000,
    );
    return answer!;
  }

  async verify(submitted: Submitted, more: Readonly<Record<string, string>> = {}): Promise<Envelope> {
    const { status, result } = await this.submit(submitted, more);
    assert.equal(status, "1", result);
    return this.outcome(result);
  }

  /** The one row of `getsourcecode`. */
  async source(address: string): Promise<Record<string, string>> {
    const { result } = await this.act({ action: "getsourcecode", address });
    return (result as unknown as Record<string, string>[])[0]!;
  }

  async rest(path: string, status = 200): Promise<Json> {
    const response = await fetch(`${this.url}/api/v2${path}`);
    assert.equal(response.status, status, path);
    return (await response.json()) as Json;
  }

  async post(path: string, body: FormData | object): Promise<{ readonly status: number; readonly body: Json }> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.url}/api/v2${path}`, {
      method: "POST",
      body: isForm ? body : JSON.stringify(body),
      ...(!isForm && { headers: { "content-type": "application/json" } }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  }
}

/** Delegates every call to the implementation in the slot of EIP-1967. */
export const PROXY = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Proxy {
  constructor(address to) {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, to) }
  }
  fallback() external payable {
    assembly {
      let to := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
      calldatacopy(0, 0, calldatasize())
      let done := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(done) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}`;
