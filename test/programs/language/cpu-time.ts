/** How long this thread has worked, in ms: a machine that others use too makes it wait besides. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
