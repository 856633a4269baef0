import type { ActionContext, ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { ActionError, fail, succeed } from "./answer.ts";
import { getsourcecode } from "./contract.ts";
import { Parameters } from "./parameters.ts";
import { checkverifystatus, verifysourcecode } from "./verification.ts";

/** Blockscout's names of the parameters of a single file. */
const NAMES: readonly (readonly [old: string, name: string])[] = [
  ["addressHash", "contractaddress"],
  ["name", "contractname"],
  ["compilerVersion", "compilerversion"],
  ["optimization", "optimizationUsed"],
  ["optimizationRuns", "runs"],
  ["contractSourceCode", "sourceCode"],
  ["evmVersion", "evmversion"],
];
const LIBRARIES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].flatMap((number) => [
  [`library${number}Name`, `libraryname${number}`] as const,
  [`library${number}Address`, `libraryaddress${number}`] as const,
]);

/** Blockscout's older form: verifies one file at once and returns the record of `getsourcecode`, not in an array. */
export async function verify(context: ActionContext, old: Parameters, request: ActionRequest): Promise<Answer> {
  const given = [...NAMES, ...LIBRARIES].flatMap(([from, to]) => {
    const value = old.get(from);
    return value === undefined ? [] : [[to, value] as const];
  });
  const parameters = new Parameters([...given, ["codeformat", "solidity-single-file"]]);
  const address = parameters.get("contractaddress");
  if (address === undefined) throw new ActionError("addressHash is required.");
  const submitted = await verifysourcecode(context, parameters, request);
  if (submitted.status !== "1") return submitted;
  const asked = new Parameters([["guid", String(submitted.result)]]);
  const { result } = await checkverifystatus(context, asked, { ...request, isPost: false });
  if (result !== "Pass - Verified") return fail(String(result));
  const { result: records } = await getsourcecode(context, new Parameters([["address", address]]));
  return succeed((records as readonly object[])[0]);
}

export async function verifyVyperContract(): Promise<Answer> {
  return fail("Vyper sources cannot be verified: no vyper compiler is configured");
}
