import { startTestServer } from '#database/testing.ts'

/** One PostgreSQL for the run; each worker has its own database on it. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const server = await startTestServer({ inMemory: true })
  process.env['TEST_DATABASE_URL'] = server.url
  return () => server.stop()
}
