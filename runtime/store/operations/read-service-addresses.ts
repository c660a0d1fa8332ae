import type { Db } from '../../model/db.ts'

/** The addresses of all registered services: no plugin may write one. */
export async function readServiceAddresses(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('runtime.service').select('url').distinct().execute()
  return rows.map(({ url }) => url)
}
