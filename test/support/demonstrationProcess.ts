import { demonstrated } from "./demonstrated.ts";

/** Builds history in a directory and prints its progress after each block, until it is killed. */
const [directory, seed, blocks] = process.argv.slice(2);
const options = { seed: seed!, blocks: Number(blocks) };
const { node, demonstration } = await demonstrated(options, { directory: directory! });
node.node.context.chain.watch(() => process.stdout.write(`${demonstration.progress.done}\n`));
await demonstration.buildPast();
