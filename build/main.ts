/**
 * `npm run build`: the program as the npm package has it. Before `npm start` it is built if esbuild is installed, which
 * `npm ci --omit=dev` leaves out; without a build the sources are run.
 */
const isOptional = process.argv.includes("--optional");

try {
  const { buildProgram } = await import("./buildProgram.ts");
  await buildProgram("dist");
} catch (error) {
  if (!isOptional) throw error;
}
