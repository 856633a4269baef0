import { until } from "../waiting.ts";
import type { CorpusContract } from "./corpus.ts";
import { inputOf } from "./corpus.ts";
import { versionOf } from "./releases.ts";

export interface Envelope {
  readonly status: string;
  readonly message: string;
  readonly result: string;
}

/** Asks the module `contract` of the module/action API. */
export async function act(
  url: string,
  parameters: Readonly<Record<string, string>>,
  method: "GET" | "POST",
): Promise<Envelope> {
  const form = new URLSearchParams({ module: "contract", ...parameters });
  const response = await (method === "GET" ? fetch(`${url}/api?${form}`) : fetch(`${url}/api`, { method, body: form }));
  return (await response.json()) as Envelope;
}

export const submissionOf = (address: string, contract: CorpusContract) => ({
  action: "verifysourcecode",
  contractaddress: address,
  sourceCode: JSON.stringify(inputOf(contract)),
  codeformat: "solidity-standard-json-input",
  contractname: `${contract.path}:${contract.name}`,
  compilerversion: versionOf(contract.release),
});

/** Waits until a source was compiled; answers what became of it. */
export async function settled(url: string, guid: string, seconds = 120): Promise<string> {
  let result = "";
  await until(
    `${guid} was compiled`,
    async () => {
      ({ result } = await act(url, { action: "checkverifystatus", guid }, "GET"));
      return result !== "Pending in queue";
    },
    seconds,
  );
  return result;
}

export async function verify(url: string, address: string, contract: CorpusContract): Promise<string> {
  const { status, result: guid } = await act(url, submissionOf(address, contract), "POST");
  return status === "1" ? settled(url, guid) : guid;
}

export async function sourceOf(url: string, address: string): Promise<Record<string, string>> {
  const { result } = await act(url, { action: "getsourcecode", address }, "GET");
  return (result as unknown as Record<string, string>[])[0]!;
}
