import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LINE, ONE, type ProvenBlob, sidecarOf, ZERO } from "../../test/support/blobs.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import type { Block } from "../chain/block/block.ts";
import type { Sidecar } from "../chain/block/sidecar.ts";
import { versionedHash } from "../chain/hashing/versionedHash.ts";
import { verifyProofs } from "../node/blobs/verifyProofs.ts";
import { BlobStore } from "../store/blobStore.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { BlobKeeper } from "./blobKeeper.ts";

const nameOf = ({ commitment }: ProvenBlob) => versionedHash(commitment);

function blockOf(proven: readonly ProvenBlob[], version: 0 | 1 = 0, change: Partial<Sidecar> = {}): Block {
  const sidecar = { ...sidecarOf(proven, version), ...change };
  return { sidecars: [{ names: proven.map(nameOf), sidecar }] } as unknown as Block;
}

test("blobs are kept once their proofs hold, each once, and stay when the store is opened again", async (t) => {
  const directory = temporaryDirectory(t);
  let verified = 0;
  const verify = async (sidecar: Sidecar) => {
    verified++;
    return verifyProofs(sidecar);
  };
  const blobs = new BlobStore(directory);
  const keeper = new BlobKeeper(blobs, { verify });

  assert.deepEqual(await blobs.read([nameOf(ONE)]), [undefined]);
  assert.equal(existsSync(join(directory, "blobs.sqlite")), false);
  await keeper.keep(blockOf([ONE, LINE, ONE]));
  await keeper.keep(blockOf([LINE, ONE]));
  await keeper.keep(blockOf([ZERO], 1));
  await blobs.close();

  assert.equal(verified, 2);
  const again = new BlobStore(directory);
  t.after(() => again.close());
  const [line, nothing, zero, one] = await again.read(
    [LINE, { commitment: new Uint8Array(48) }, ZERO, ONE].map((blob) => nameOf(blob as ProvenBlob)),
  );
  assert.equal(nothing, undefined);
  for (const [kept, proven] of [
    [line, LINE],
    [one, ONE],
    [zero, ZERO],
  ] as const) {
    assert.deepEqual(Buffer.from(kept!.data), Buffer.from(proven.blob));
    assert.deepEqual(Buffer.from(kept!.commitment), Buffer.from(proven.commitment));
  }
  assert.deepEqual([Buffer.from(line!.proof!), zero!.proof], [Buffer.from(LINE.proof), null]);
});

test("a blob under the commitment of another is not kept, nor is one that could not be verified", async () => {
  const blobs = new BlobStore(IN_MEMORY);
  const errors: string[] = [];
  const keeper = new BlobKeeper(blobs, { verify: async (sidecar) => verifyProofs(sidecar) });
  const deaf = new BlobKeeper(blobs, { verify: () => Promise.reject(new Error("no thread")) }, (reason) =>
    errors.push(reason),
  );

  await keeper.keep(blockOf([ONE], 0, { blobs: [LINE.blob] }));
  await keeper.keep({ sidecars: [{ names: [nameOf(ONE)], sidecar: undefined }] } as unknown as Block);
  await deaf.keep(blockOf([ONE]));

  assert.deepEqual(await blobs.read([nameOf(ONE)]), [undefined]);
  assert.deepEqual(errors, ["no thread"]);
  await blobs.close();
});
