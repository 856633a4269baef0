import { demonstrated } from "./demonstrated.ts";

/** Builds a past in a directory and says after each block how far it is, until it is killed. */
const [directory, seed, blocks] = process.argv.slice(2);
const options = { seed: seed!, blocks: Number(blocks) };
const { node, demonstration } = await demonstrated(options, { directory: directory! });
node.node.context.chain.watch(() => process.stdout.write(`${demonstration.progress.done}\n`));
await demonstration.buildPast();
