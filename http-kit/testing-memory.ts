import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The memory that this process holds after a collection, in MB: heap and buffers, without what the allocator keeps free. */
export function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}
