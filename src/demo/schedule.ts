import { Random } from "./random.ts";

export interface ScheduleOptions {
  readonly seed: string;
  /** When the chain began, in seconds. */
  readonly begin: number;
  /** How many seconds the past takes. */
  readonly span: number;
  /** How many blocks deploy the scene, and how many come in all. */
  readonly scene: number;
  readonly blocks: number;
}

/** The share of the time in which the scene comes about. */
const SCENE_SHARE = 0.03;
/** The last seventh of the time has so much of the traffic, as a chain that is used more and more would. */
const LAST_TIME = 1 / 7;
const LAST_TRAFFIC = 0.3;
/** The past ends so many seconds before the span does. */
const MARGIN = 20;

/** The time of each block of the past, the first having number 0; always later than the one before. */
export function timeOf(options: ScheduleOptions, step: number): number {
  const { seed, begin, span, scene, blocks } = options;
  const dispersion = new Random(`${seed} time ${step}`).below(1000) / 1000;
  const sceneEnd = Math.floor(span * SCENE_SHARE);
  if (step < scene) return begin + 1 + Math.floor((sceneEnd * (step + dispersion)) / scene) + step;
  const traffic = blocks - scene;
  const done = (step - scene + dispersion) / traffic;
  // A second for each block keeps any two apart.
  const room = span - sceneEnd - scene - MARGIN - traffic - 1;
  return begin + 1 + sceneEnd + step + Math.max(0, Math.floor(room * elapsed(done)));
}

/** How much of the time has gone when so much of the traffic is done. */
function elapsed(done: number): number {
  if (done < 1 - LAST_TRAFFIC) return (done / (1 - LAST_TRAFFIC)) * (1 - LAST_TIME);
  return 1 - LAST_TIME + ((done - (1 - LAST_TRAFFIC)) / LAST_TRAFFIC) * LAST_TIME;
}
