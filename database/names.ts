/** Quotes the name of a schema or database of ours. Names cannot be parameters, so only a safe alphabet passes. */
export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    throw new Error(
      `"${name}" is no usable name: up to 63 lower-case letters, digits and _, starting with a letter`,
    )
  }
  return `"${name}"`
}
