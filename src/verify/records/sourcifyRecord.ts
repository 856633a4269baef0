import { NO_LICENSE } from "../licenses.ts";
import { parseContractName, SourceFault } from "../standardInput.ts";
import type { RecordedSource } from "./recordedSource.ts";
import { Fields } from "./recordedSource.ts";

/** A response of Sourcify's `/v2/contract/{chainId}/{address}` with all fields, or with these. */
export function readSourcifyRecord(record: Readonly<Record<string, unknown>>): RecordedSource {
  const fields = new Fields(record);
  const compilation = fields.object("compilation");
  const input = fields.object("stdJsonInput");
  if (compilation === undefined || input === undefined) {
    throw new SourceFault("the record has no source: ask Sourcify for fields=compilation,stdJsonInput");
  }
  const compiled = new Fields(compilation);
  const contract = compiled.requiredText("fullyQualifiedName");
  parseContractName(contract);
  return {
    compiler: compiled.requiredText("compilerVersion"),
    contract,
    license: NO_LICENSE,
    source: { format: "standard-json", text: JSON.stringify(input) },
  };
}
