export const configuration = {
  title: 'Configuration',
} as const
