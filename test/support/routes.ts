import type { FastifyInstance } from "fastify";

export async function routesOf(app: FastifyInstance, method = "GET"): Promise<string[]> {
  await app.ready();
  const printed = app.printRoutes({ commonPrefix: false });
  const branch: string[] = [];
  const routes: string[] = [];
  for (const [, indent, part, methods] of printed.matchAll(/^([│ ]*)[├└]── (\S*)(?: \((.*)\))?$/gm)) {
    const depth = indent!.length / 4;
    branch.splice(depth, branch.length, part!);
    if (methods?.split(", ").includes(method)) routes.push(branch.join("").replace(/:(\w+)/g, "{$1}"));
  }
  return routes;
}
