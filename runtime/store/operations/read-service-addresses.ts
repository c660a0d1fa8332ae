import type { Db } from '../../model/db.ts'

/** Returns the addresses of all registered services. No plugin may write one of them. */
export async function readServiceAddresses(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('runtime.service').select('url').distinct().execute()
  return rows.map(({ url }) => url)
}
