export const localServices = {
  title: 'Local services',
} as const
