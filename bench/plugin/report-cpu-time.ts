/** Answers each line of standard input with the CPU time since the previous one, in milliseconds. */
export function reportCpuTime(): void {
  let before = process.cpuUsage()
  process.stdin.on('data', () => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    console.log((user + system) / 1000)
  })
}
