import { CREDENTIAL, goldenExchanges, ISSUER, TEST_KEY } from './exchanges.ts'
import { wireOpenApi } from './openapi.ts'
import { publishedSchemas } from './schemas.ts'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** The generated files of the wire kit: path below docs/wire-kit → text. */
export function wireKitFiles(): Record<string, string> {
  const { d: _private, ...publicKey } = TEST_KEY
  const schemas = Object.entries(publishedSchemas((name) => `${name}.json`))
  return {
    'openapi.json': print(wireOpenApi()),
    'keys.json': print({
      issuer: ISSUER,
      credential: CREDENTIAL,
      signingKey: TEST_KEY,
      jwks: { keys: [publicKey] },
    }),
    ...Object.fromEntries(
      schemas.map(([name, schema]) => [
        `schemas/${name}.json`,
        print({ $schema: DIALECT, $id: `${name}.json`, ...schema }),
      ]),
    ),
    ...Object.fromEntries(
      goldenExchanges().map((exchange, index) => [
        `exchanges/${String(index + 1).padStart(2, '0')}-${exchange.name}.json`,
        print(exchange),
      ]),
    ),
  }
}

const print = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`
