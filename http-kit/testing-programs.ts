/**
 * The environment of a program that a test starts: nothing of the settings of the person who runs the tests, but the cache of
 * compiled modules, because half of the processor time of a start is spent on compiling.
 */
export const BARE_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
