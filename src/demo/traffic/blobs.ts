import { sidecarOf } from "../blobs.ts";
import type { Activity } from "./trafficContext.ts";

export const postBlobs: Activity = async (context) => {
  const { random, scene, time } = context;
  const { sequencer, builder } = scene.actors;
  const texts = Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, index) => `demo batch ${time}.${index}`);
  return [{ from: sequencer, to: builder.address, gas: 21_000, sidecar: sidecarOf(texts) }];
};
