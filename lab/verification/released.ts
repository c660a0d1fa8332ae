/**
 * The previous release; raise it with each release (CONTRIBUTING.md). There was none yet: the commit is the first
 * with the schema that the first release has.
 */
export const RELEASED = {
  /** In this repository. */
  commit: 'ca073b96a72dec7c5e19246b92b0bab2f0d0aa4a',
  /** The last migrations that are known to be right; later ones are examined. */
  runtime: '0001',
  bff: '0001',
}
