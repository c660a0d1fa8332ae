/**
 * The environment of a program that a test starts: none of the settings of whoever runs the tests, but their cache of
 * compiled modules, because half of the processor time of a start is spent on compiling.
 */
export const BARE_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
