/** Processor time of this process. */

/** Runs something and gives the seconds that it took all threads together. */
export function processorSeconds(act: () => void): number {
  const start = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}
