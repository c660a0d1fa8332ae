/** Quotes the name of one of our schemas or databases. Names cannot be parameters, so only a safe alphabet is allowed. */
export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    throw new Error(
      `"${name}" is not a usable name: up to 63 lower-case letters, digits and _, starting with a letter`,
    )
  }
  return `"${name}"`
}
