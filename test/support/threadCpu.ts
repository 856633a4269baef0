/** CPU time of this thread in milliseconds; independent of the load on the machine. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
