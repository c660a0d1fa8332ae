export const catalog = {
  title: 'Catalog',
} as const
