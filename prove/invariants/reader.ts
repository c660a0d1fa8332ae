/** A connection or pool of the driver, whatever its value types: everything is read as JSON text. */
export interface Reader {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The one value of a statement that selects one JSON text named `json`. */
export async function readJson(reader: Reader, text: string, values: unknown[]): Promise<unknown> {
  const { rows } = await reader.query(text, values)
  const [row] = rows
  if (typeof row !== 'object' || row === null || !('json' in row) || typeof row.json !== 'string')
    throw new TypeError('the statement selects no JSON text')
  return JSON.parse(row.json)
}
