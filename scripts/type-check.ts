import { tool } from './process.ts'

/**
 * The arguments of Node that compile every project. One checker per project: several would each read the shared types,
 * and the projects already compile two at a time.
 */
export const typeCheckArgs = (project = '.'): string[] => [
  tool('typescript/bin/tsc'),
  '--build',
  project,
  '--builders',
  '2',
  '--checkers',
  '1',
]
