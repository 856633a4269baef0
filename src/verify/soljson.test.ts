import assert from "node:assert/strict";
import { test } from "node:test";
import { RELEASES, soljsonOf } from "../../test/support/verification/releases.ts";
import { loadSoljson } from "./soljson.ts";

for (const release of RELEASES) {
  test(`${release} compiles megabytes of sources, and imports nothing`, () => {
    const solc = loadSoljson(soljsonOf(release));
    const compile = (content: string) => {
      const settings = { outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } } };
      const input = { language: "Solidity", sources: { "A.sol": { content } }, settings };
      return JSON.parse(solc.compile(JSON.stringify(input))) as {
        contracts?: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>;
        errors?: readonly { message: string }[];
      };
    };

    const large = compile(`contract A { uint256 public n; } // ${"ä".repeat(2_000_000)}`);
    const importing = compile('import "/etc/passwd"; contract A {}');

    assert.match(solc.version(), new RegExp(`^${release}\\+commit`));
    assert.ok(large.contracts!["A.sol"]!.A!.evm.deployedBytecode.object.length > 100);
    assert.ok(importing.errors!.some(({ message }) => /not found: File import callback not supported/.test(message)));
  });
}
