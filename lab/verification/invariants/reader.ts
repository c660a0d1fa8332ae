/** A connection or pool of any driver: values are read as JSON text, so its type parsers do not matter. */
export interface Reader {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The value of a statement that selects a single JSON text named `json`. */
export async function readJson(reader: Reader, text: string, values: unknown[]): Promise<unknown> {
  const { rows } = await reader.query(text, values)
  const [row] = rows
  if (typeof row !== 'object' || row === null || !('json' in row) || typeof row.json !== 'string')
    throw new TypeError('the statement does not select a JSON text')
  return JSON.parse(row.json)
}
