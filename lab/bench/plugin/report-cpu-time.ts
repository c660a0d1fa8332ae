/** Prints the CPU time since the previous chunk of standard input, in milliseconds, for each chunk. */
export function reportCpuTime(): void {
  let before = process.cpuUsage()
  process.stdin.on('data', () => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    console.log((user + system) / 1000)
  })
}
