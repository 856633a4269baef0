import { checksumAddress } from "../chain/encoding/checksum.ts";
import { ChainError } from "../chain/error.ts";
import { storeUrlOf } from "../config.ts";
import type { Invocation } from "../invocation.ts";
import { invalid } from "../settingValues.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { hasStore } from "../store/openStore.ts";
import type { ImportResult } from "../verify/importSources.ts";
import { importSources } from "../verify/importSources.ts";
import type { Submission } from "../verify/submission.ts";
import { withContracts } from "./contractStores.ts";
import { indexToRead } from "./networks.ts";
import { printable } from "./printable.ts";
import { expectPath, sourcesIn } from "./sourceFiles.ts";

/** Milliseconds without a server that verifies, after which it is said. */
const IDLE_TIMEOUT = 10_000;

type Counts = Record<ImportResult["state"] | "unread", number>;

/** Imports verified sources. Returns 1 if one of them could not be verified. */
export async function source(invocation: Invocation): Promise<number> {
  const [action, ...paths] = invocation.operands;
  if (action !== "import" || paths.length === 0) {
    throw invalid("source is followed by import and files or folders; try oriel source --help");
  }
  for (const path of paths) expectPath(path);
  const target = await indexToRead(invocation);
  const url = storeUrlOf(target.settings);
  if (!(await hasStore(url))) throw new ChainError("not_found", `there is no index in ${describeUrl(url)}`);
  const counts: Counts = { verified: 0, known: 0, failed: 0, unread: 0 };
  await withContracts(
    [target],
    async (opened) => {
      const submissions = submissionsIn(paths, counts);
      for (const { contracts } of opened) {
        for await (const result of importSources(contracts, submissions, { onIdle: idleWarning() })) {
          counts[result.state]++;
          if (result.state === "failed") warn(`${checksumAddress(result.submission.address)}: ${result.reason}`);
        }
      }
    },
    { areMade: true },
  );
  const { verified, known, failed, unread } = counts;
  const total = verified + known + failed;
  if (total + unread === 0) throw new ChainError("not_found", "there is no verified source in these files");
  console.log(`${verified} verified, ${known} already known, ${failed + unread} failed`);
  return failed + unread > 0 ? 1 : 0;
}

function* submissionsIn(paths: readonly string[], counts: Counts): Generator<Submission> {
  for (const path of paths) {
    for (const found of sourcesIn(path)) {
      if ("submission" in found) yield found.submission;
      else {
        counts.unread++;
        warn(`${found.file}: ${found.reason}`);
      }
    }
  }
}

const warn = (text: string) => console.error(printable(text.replaceAll("\n", " ")));

function idleWarning(): (waiting: number, milliseconds: number) => void {
  let isReported = false;
  return (waiting, milliseconds) => {
    if (isReported || milliseconds < IDLE_TIMEOUT) return;
    isReported = true;
    console.error(`${waiting} sources wait for a server of this index`);
  };
}
