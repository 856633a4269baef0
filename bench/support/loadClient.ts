import { Agent, request } from "node:http";

/** A client in a process of its own, so that its CPU is not counted with the server's. It ends when its parent does. */
export interface Load {
  readonly origin: string;
  readonly paths: readonly string[];
  /** Requests under way at once. */
  readonly width: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

process.on("message", async ({ origin, paths, width }: Load) => {
  const start = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < paths.length) await get(origin + paths[next++]!);
  };
  await Promise.all(Array.from({ length: width }, lane));
  process.send?.(performance.now() - start);
});
process.on("disconnect", () => process.exit());

function get(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const call = request(url, { agent }, (response) => {
    response.resume();
    response.on("end", () => {
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${url} answered ${response.statusCode}`));
    });
  });
  call.on("error", reject);
  call.end();
  return promise;
}
