import { Random } from "./random.ts";

interface ScheduleOptions {
  readonly seed: string;
  /** Unix time of genesis. */
  readonly begin: number;
  /** Seconds. */
  readonly span: number;
  /** Blocks of the scene, and blocks in total. */
  readonly scene: number;
  readonly blocks: number;
}

const SCENE_SHARE = 0.03;
/** The last seventh of the time has this share of the traffic, like a growing chain. */
const LAST_TIME = 1 / 7;
const LAST_TRAFFIC = 0.3;
/** Seconds between the end of history and now. */
const MARGIN = 20;

/** Strictly increasing block times, from step 0. */
export function timeOf(options: ScheduleOptions, step: number): number {
  const { seed, begin, span, scene, blocks } = options;
  const dispersion = new Random(`${seed} time ${step}`).below(1000) / 1000;
  const sceneEnd = Math.floor(span * SCENE_SHARE);
  if (step < scene) return begin + 1 + Math.floor((sceneEnd * (step + dispersion)) / scene) + step;
  const traffic = blocks - scene;
  const done = (step - scene + dispersion) / traffic;
  // One second per block keeps times distinct.
  const room = span - sceneEnd - scene - MARGIN - traffic - 1;
  return begin + 1 + sceneEnd + step + Math.max(0, Math.floor(room * elapsed(done)));
}

/** Share of the time elapsed at a share of the traffic. */
function elapsed(done: number): number {
  if (done < 1 - LAST_TRAFFIC) return (done / (1 - LAST_TRAFFIC)) * (1 - LAST_TIME);
  return 1 - LAST_TIME + ((done - (1 - LAST_TRAFFIC)) / LAST_TRAFFIC) * LAST_TIME;
}
