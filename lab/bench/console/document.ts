import { request } from 'undici'

const WARM_UP = 100
const TIMES = 200

/**
 * The processor time of a page's document, in ms: of the console and of the runtime, which run in this process, together with
 * what it costs to request it here. The database is a process of its own, and is not in it.
 */
export async function documentCost(url: string, cookie: string): Promise<number> {
  const headers = { cookie, accept: 'text/html', 'accept-encoding': 'br', 'sec-fetch-dest': 'document' }
  const read = async () => {
    const { statusCode, body } = await request(url, { headers })
    await body.dump()
    if (statusCode !== 200) throw new Error(`${url} got ${statusCode}`)
  }
  for (let at = 0; at < WARM_UP; at++) await read()
  const before = process.cpuUsage()
  for (let at = 0; at < TIMES; at++) await read()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / TIMES
}
