import { getPriority, setPriority } from "node:os";

const NICE = 5;

/** Linux sets the priority of the calling thread only, and of those that it starts. Others have no such call. */
export function lowerThreadPriority(): void {
  // Without privileges a thread that was started with a lower priority cannot get a higher one.
  if (process.platform === "linux" && getPriority(0) < NICE) setPriority(0, NICE);
}
