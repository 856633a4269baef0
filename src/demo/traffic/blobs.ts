import { sidecarOf } from "../blobs.ts";
import type { Act } from "./moment.ts";

export const postBlobs: Act = async (moment) => {
  const { random, scene, time } = moment;
  const { sequencer, builder } = scene.actors;
  const texts = Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, index) => `demo batch ${time}.${index}`);
  return [{ from: sequencer, to: builder.address, gas: 21_000, sidecar: sidecarOf(texts) }];
};
